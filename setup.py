# SPDX-License-Identifier: Apache-2.0
import hashlib
import os
import platform
import re
import runpy
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from glob import glob
from pathlib import Path

from setuptools import Extension
from setuptools import find_packages
from setuptools import setup
from setuptools.command.build_ext import build_ext

# 'required': fail where the kernel cannot be compiled; 'no': do not try; otherwise go without it where it cannot be.
KERNEL = os.environ.get('HOD_ROS_BUILD_KERNEL', 'optional')
CORE = Path('hod_ros/kernel/core')
SOURCES = runpy.run_path('hod_ros/kernel/sources.py')['digest']('hod_ros/kernel')
CPP = ['-std=c++17', '-O3', '-fno-math-errno', '-Wall', '-Wextra', '-fvisibility=hidden']
# They take a quarter of g++'s time, and give the same code where it is fast; clang knows none of the two.
CPP_OF_KERNEL = ['-g0', '-fno-exceptions', '-fno-rtti', '-fno-gcse', '-fno-gcse-after-reload', '-Wno-ignored-optimization-argument']
INSTRUCTION_SETS = {'baseline': []}
if platform.machine() in ('x86_64', 'AMD64') and '-DHOD_PORTABLE' not in os.environ.get('CFLAGS', ''):
    INSTRUCTION_SETS |= {'avx2': ['-mavx2', '-mfma'], 'avx512': ['-mavx2', '-mfma', '-mavx512f', '-mavx512dq', '-mavx512vl']}


class BuildKernel(build_ext):
    """Compiles what is in C, or leaves it out where that fails, and says so once."""

    complete = True

    def finalize_options(self):
        super().finalize_options()
        self.force = True               # what is fresh is judged by content, below
        import numpy
        self.include_dirs.append(numpy.get_include())

    def run(self):
        try:
            super().run()
        except Exception as error:
            self.go_without(error)

    def build_extension(self, extension):
        try:
            if extension.name.endswith('._doorway'):
                extension.extra_objects = self.kernel_objects()
            super().build_extension(extension)
        except Exception as error:
            self.go_without(error)

    def kernel_objects(self):
        """Every algorithm for every instruction set, an object each with flags of its own; what is up to date is kept."""
        algorithms = re.findall(r'^ +LINE\((\w+), (\d)', (CORE / 'algorithms.hpp').read_text(), re.MULTILINE)
        for path in CORE.rglob('*.[ch]pp'):
            digest(path)                        # as they stand before anything is compiled
        facts = repr([self.compiler.compiler_so, CPP, CPP_OF_KERNEL, INSTRUCTION_SETS])
        folder = Path(self.build_temp, 'kernel-' + hashlib.sha256(facts.encode()).hexdigest()[:8])
        units = [
            (folder / f'{name}_{lengths}_{target}', name, lengths, flags)
            for name, lengths in algorithms for target, flags in INSTRUCTION_SETS.items()]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()) as pool:
            return list(pool.map(lambda unit: self.kernel_object(*unit), units))

    def kernel_object(self, folder, algorithm, lengths, flags):
        source = CORE / 'compiled.cpp'
        made, depends, mark = folder / source.with_suffix('.o'), folder / 'depends', folder / 'made-of'
        if not (made.exists() and mark.exists() and mark.read_text() == contents(depends)):
            made.parent.mkdir(parents=True, exist_ok=True)
            self.compiler.spawn([
                *self.compiler.compiler_so, *CPP, *CPP_OF_KERNEL, *flags, f'-I{CORE / "include"}',
                f'-DHOD_ALGORITHM={algorithm}', f'-DHOD_HEADER="hod/{algorithm}.hpp"', f'-DHOD_LENGTHS={lengths}',
                '-MD', '-MF', str(depends), '-c', str(source), '-o', str(made)])
            mark.write_text(contents(depends))
        return str(made)

    def get_outputs(self):
        return [path for path in super().get_outputs() if os.path.exists(path)]

    def copy_extensions_to_source(self):
        if self.get_outputs():
            super().copy_extensions_to_source()

    def go_without(self, error):
        if KERNEL == 'required':
            raise error
        if self.complete:
            print(f'hod_ros: built without its compiled kernel ({error}); the slower numpy reference is used instead')
        self.complete = False


@cache
def digest(path):
    """Of what a file holds; of a file that is gone none."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if os.path.exists(path) else ''


def contents(depends):
    """The files that a compiler wrote down as read, with their digests; nothing where it wrote nothing."""
    read = depends.read_text().replace('\\\n', ' ').split()[1:] if depends.exists() else []
    return '\n'.join(f'{path} {digest(Path(path))}' for path in read)


def shared(folder):
    """(destination, files) of a folder that is installed below share/hod_ros, subfolders included."""
    for path, _, names in os.walk(folder):
        files = [os.path.join(path, name) for name in names if not name.endswith('.pyc')]
        if files:
            yield os.path.join('share/hod_ros', path), files


setup(
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=['hod_ros', 'hod_ros.*']),
    include_package_data=False,     # the kernel's sources are for sdists; its headers are installed below include
    package_data={'hod_ros': ['py.typed', '*.pyi', 'robots/*.urdf', 'cpp/project/*', 'cpp/project/*/*']},
    ext_modules=[] if KERNEL == 'no' else [
        Extension(
            'hod_ros.kernel._doorway',
            sources=['hod_ros/kernel/_doorway.cpp'],
            include_dirs=[str(CORE / 'include')],
            define_macros=[('HOD_SOURCES', SOURCES), *([('HOD_DISPATCH', '1')] if len(INSTRUCTION_SETS) > 1 else [])],
            extra_compile_args=CPP,
            extra_link_args=['-pthread'],
            language='c++',
        ),
    ],
    cmdclass={'build_ext': BuildKernel},
    zip_safe=False,
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/hod_ros']),
        ('share/hod_ros', ['package.xml']),
        ('include/hod_ros/hod', glob('hod_ros/kernel/core/include/hod/*.hpp')),
        ('share/hod_ros/cmake', glob('hod_ros/kernel/core/cmake/*.cmake')),
        *shared('config'),
        ('share/hod_ros/config/robots', sorted(glob('hod_ros/robots/*.urdf'))),     # in the repository a link
        *shared('examples'),
        *shared('launch'),
    ],
)
