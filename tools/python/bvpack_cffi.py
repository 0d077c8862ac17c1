# SPDX-License-Identifier: MIT
"""Builds bvpack/_native.abi3.so: cffi in API mode, for every CPython from 3.9 on.

Where the library is comes from the environment or from pkg-config:

BVPACK_INCLUDE, BVPACK_LIB   folders of the headers and the libraries; both or neither
BVPACK_STATIC                link arguments that bring the whole library, for wheels (wheel.sh)
BVPACK_CROSS                 set: for another architecture, so the module is not loaded here to check its types
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import header_cdef  # noqa: E402


def pkg_config(*words: str) -> list[str]:
    """Return the words that pkg-config prints for the two libraries."""
    command = ["pkg-config", *words, "bvpack-build", "bvpack"]
    try:
        return shlex.split(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    except (OSError, subprocess.CalledProcessError) as error:
        detail = (getattr(error, "stderr", "") or str(error)).strip()
        raise SystemExit(
            "bvpack's headers and libraries were not found: install bvpack, or set BVPACK_INCLUDE "
            f"and BVPACK_LIB to their folders. {' '.join(command)}: {detail}"
        ) from error


def where() -> tuple[Path, dict]:
    """Return the folder of the headers, and the arguments for the compiler."""
    include, library = os.environ.get("BVPACK_INCLUDE"), os.environ.get("BVPACK_LIB")
    if not include or not library:
        folder = Path(pkg_config("--variable=includedir")[0])
        return folder, {
            "include_dirs": [str(folder)],
            "extra_link_args": pkg_config("--libs"),
        }
    arguments = {"include_dirs": [include]}
    static = os.environ.get("BVPACK_STATIC")
    if static is not None:
        hide = ["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections"]
        arguments["extra_link_args"] = shlex.split(static) + hide
    else:
        arguments["extra_link_args"] = [f"-L{library}", "-lbvpack_build", "-lbvpack"]
        if os.environ.get("BVPACK_RPATH"):
            arguments["runtime_library_dirs"] = [library]
    return Path(include), arguments


GLUE = (HERE / "python_calls.c").read_text("utf-8")
folder, arguments = where()
ffibuilder = cffi.FFI()
ffibuilder.cdef(header_cdef.read_headers(folder))
# what python_calls.c adds stands between two marks there
ffibuilder.cdef(header_cdef.declarations(GLUE.split("/* cdef */")[1]))
ffibuilder.cdef('extern "Python" int bvpy_run_handlers(void);')
ffibuilder.cdef('extern "Python" int bvpy_clash_progress(void *, uint32_t, uint32_t, const bvp_clash_coverage *);')
ffibuilder.cdef('extern "Python" void bvpy_build_progress(void *, const char *, uint64_t, uint64_t);')
ffibuilder.cdef('extern "Python" int bvpy_finding(void *, const bvp_finding *);')
ffibuilder.set_source(
    "bvpack._native",
    GLUE,
    py_limited_api=True,
    extra_compile_args=["-std=gnu11", "-O2", "-fvisibility=hidden"],
    **arguments,
)

if __name__ == "__main__":
    # bvpack_cffi.py FOLDER: the module is made in FOLDER/bvpack
    made = ffibuilder.compile(tmpdir=sys.argv[1] if len(sys.argv) > 1 else str(HERE))
    if os.environ.get("BVPACK_CROSS"):
        sys.exit()
    spec = importlib.util.spec_from_file_location("_native", made)
    native = importlib.util.module_from_spec(spec)
    print(f"{header_cdef.check_types(native.ffi)} types are as the headers say")
