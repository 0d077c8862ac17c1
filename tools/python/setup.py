# SPDX-License-Identifier: MIT
"""Builds the package against an installed library (pkg-config: bvpack, bvpack-build)."""

import re
from pathlib import Path

from setuptools import setup

HERE = Path(__file__).resolve().parent


def version() -> str:
    """Return the library's version: of a source package its own file, else configure.ac's."""
    own = HERE / "VERSION"
    if own.exists():
        return own.read_text("utf-8").strip()
    text = (HERE / "../../configure.ac").read_text("utf-8")
    return re.search(r"AC_INIT\(\[bvpack\], *\[([^\]]+)\]", text)[1]


setup(version=version(), cffi_modules=["bvpack_cffi.py:ffibuilder"])
