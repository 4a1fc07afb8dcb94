# SPDX-License-Identifier: Apache-2.0
"""Packages that only some functions need: a name that says what to install when it is used, in place of a failed import."""

from importlib import import_module
from types import ModuleType
from typing import Any


class Missing:
    """Stands for a package that is not installed; any use of it is an ImportError with the remedy."""

    def __init__(self, package: str, extra: str):
        self._package, self._extra = package, extra

    def __getattr__(self, name: str) -> Any:
        raise ImportError(
            f"this needs {self._package}, which is not installed: pip install {self._package}, or hod_ros with its extra '{self._extra}'")


def optional(package: str, extra: str) -> ModuleType | Missing:
    """The package, or what stands for it where it is not installed."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package.split('.')[0]:
            raise
        return Missing(package.split('.')[0], extra)
