# SPDX-License-Identifier: Apache-2.0
"""YAML and JSON files, with the numbers of YAML 1.2, where 1e3 is a thousand, 010 ten and 1:50 a text, and every key once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hod_ros.checks.arguments import shown
from hod_ros.checks.optional import optional
from hod_ros.errors import InputError

yaml = optional('yaml', 'trajectories')

_FLOAT, _INT = 'tag:yaml.org,2002:float', 'tag:yaml.org,2002:int'
_INTEGER = r'[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+'
_REAL = r'[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)'
_loaders: list[Any] = []


class _Repeated(ValueError):
    """A key that a table has twice."""


def read_document(path: Path) -> Any:
    """What a YAML or JSON file holds: one document, which may be followed by the --- of `ros2 topic echo`."""
    with open(path, encoding='utf-8-sig') as file:
        try:
            if path.suffix == '.json':
                return json.load(file, object_pairs_hook=_table)
            documents = [document for document in yaml.load_all(file, Loader=_loader()) if document is not None]
        except _Repeated as error:
            raise InputError(f'the file {path.name!r} has {error} twice in one table; leave one of them out') from None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise InputError(f'the file {path.name!r} is not readable: {error}') from None
        except yaml.YAMLError as error:
            raise InputError(f'the file {path.name!r} is no YAML: {error}') from None
    if len(documents) > 1:
        raise InputError(f'the file {path.name!r} holds {len(documents)} documents, with --- between them; give a file of one')
    return documents[0] if documents else None


def _table(pairs):
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Repeated(shown(next(key for key in keys if keys.count(key) > 1)))
    return table


def _loader():
    """A loader class, made when it is first needed: the package may be absent."""
    if not _loaders:
        class Loader(getattr(yaml, 'CSafeLoader', yaml.SafeLoader)):
            yaml_implicit_resolvers = {
                first: [(tag, pattern) for tag, pattern in resolvers if tag not in (_FLOAT, _INT)]
                for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}

            def construct_mapping(self, node, deep=False):
                _table([(self.construct_object(key, deep=True), None) for key, _ in node.value if key.value != '<<'])
                return super().construct_mapping(node, deep)

        Loader.add_implicit_resolver(_INT, re.compile(f'^(?:{_INTEGER})$'), list('-+0123456789'))
        Loader.add_implicit_resolver(_FLOAT, re.compile(f'^(?:{_REAL})$'), list('-+.0123456789'))
        Loader.add_constructor(_INT, lambda loader, node: int(node.value, 0 if node.value[:2] in ('0o', '0x') else 10))
        _loaders.append(Loader)
    return _loaders[0]
