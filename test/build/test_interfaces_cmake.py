# SPDX-License-Identifier: Apache-2.0
"""The repair of the wheels' CMake targets drops directories that are missing, and nothing else."""

import sys
from pathlib import Path

import checkout

PROJECT = '''
cmake_minimum_required(VERSION 3.20)
project(probe NONE)
foreach(name whole mixed missing none)
  add_library(probe::${{name}} INTERFACE IMPORTED)
endforeach()
set_target_properties(probe::whole PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "{here};$<BUILD_INTERFACE:/gone>;relative")
set_target_properties(probe::mixed PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "/gone/include;{here}")
set_target_properties(probe::missing PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "/gone/include")
include({repair})
foreach(name whole mixed missing none)
  get_target_property(directories probe::${{name}} INTERFACE_INCLUDE_DIRECTORIES)
  message(STATUS "${{name}}: ${{directories}}")
endforeach()
'''


def test_only_include_directories_that_do_not_exist_are_dropped_from_imported_targets(tmp_path):
    repair = checkout.ROOT / 'hod_interfaces' / 'cmake' / 'drop_missing_include_directories.cmake'
    (tmp_path / 'CMakeLists.txt').write_text(PROJECT.format(here=tmp_path, repair=repair))
    cmake = Path(sys.prefix) / 'bin' / 'cmake'
    done = checkout.run(
        [cmake, '-S', tmp_path, '-B', tmp_path / 'build', '-G', 'Ninja',
         f'-DCMAKE_MAKE_PROGRAM={cmake.with_name("ninja")}'], tmp_path, checkout.bare_environment())
    told = dict(line[3:].split(': ', 1) for line in done.stdout.splitlines() if line.startswith('-- ') and ': ' in line)
    assert told['whole'] == f'{tmp_path};$<BUILD_INTERFACE:/gone>;relative'
    assert told['mixed'] == str(tmp_path)
    assert told['missing'] == ''
    assert told['none'] == 'directories-NOTFOUND'
