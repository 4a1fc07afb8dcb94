import os
from glob import glob

from setuptools import Extension
from setuptools import find_packages
from setuptools import setup
from setuptools.command.build_ext import build_ext

# 'required': fail where the kernel cannot be compiled; 'no': do not try; otherwise go without it where it cannot be.
KERNEL = os.environ.get('HOD_ROS_BUILD_KERNEL', 'optional')


class BuildKernel(build_ext):
    """Compiles what is in C, or leaves it out where that fails, and says so once."""

    complete = True

    def finalize_options(self):
        super().finalize_options()
        import numpy
        self.include_dirs.append(numpy.get_include())

    def run(self):
        try:
            super().run()
        except Exception as error:
            self.go_without(error)

    def build_extension(self, extension):
        try:
            super().build_extension(extension)
        except Exception as error:
            self.go_without(error)

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
    package_data={'hod_ros': ['py.typed', '*.pyi']},
    ext_modules=[] if KERNEL == 'no' else [
        Extension(
            source.removesuffix('.c').replace('/', '.'),
            sources=[source],
            depends=glob(os.path.join(os.path.dirname(source), '_*.h')),
            extra_compile_args=['-O3', '-std=gnu11', '-Wall', '-Wextra'],
            libraries=['m'],
        )
        for source in sorted(glob('hod_ros/**/_*.c', recursive=True))
    ],
    cmdclass={'build_ext': BuildKernel},
    zip_safe=False,
    data_files=[
        ('share/ament_index/resource_index/packages', ['resource/hod_ros']),
        ('share/hod_ros', ['package.xml']),
        *shared('config'),
        *shared('examples'),
        *shared('launch'),
    ],
)
