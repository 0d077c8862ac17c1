# SPDX-License-Identifier: MIT
"""Turns the public headers of bvpack into declarations for cffi.

There is no second list of functions and structs that could fall behind: what is in the headers is
in the package. cffi compiles each declaration against the headers, and `check_types` compares the
size and the offsets of every type with what the compiler says.
"""

from __future__ import annotations

import re
from pathlib import Path

HEADERS = ("bvpack.h", "bvpack_clash.h", "bvpack_broad.h", "bvpack_build.h")


def declarations(text: str) -> str:
    """Return what cffi's parser reads of one header.

    Parameters
    ----------
    text : str
        The header. Its conditional parts are those for C++ and for the export of symbols, which
        are dropped; constants keep their names, and the compiler fills in their values.
    """
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"#if defined\(BVP_BUILDING\).*?#endif", "", text, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = re.sub(r"^static inline ([^{]*)\{.*?^\}", r"\1;", text, flags=re.S | re.M)
    # cffi 1.15 writes a pointer to an array of constants as no compiler reads it
    text = re.sub(r"\bconst (\w+ \(\*\w+\)\[)", r"\1", text)
    lines = []
    for line in text.splitlines():
        constant = re.match(r"#\s*define\s+(BVP_\w+)\s+\S", line)
        if constant:
            lines.append(f"#define {constant[1]} ...")
        elif not line.lstrip().startswith("#"):
            lines.append(re.sub(r"\bBVP_API\s*", "", line))
    return re.sub(r"\n\s*\n+", "\n", "\n".join(lines))


def read_headers(folder: Path) -> str:
    """Return the declarations of all public headers in `folder`."""
    return "\n".join(declarations((folder / name).read_text("utf-8")) for name in HEADERS)


def check_types(ffi) -> int:
    """Make cffi compare the layout of each declared type with the compiler's; return how many.

    Raises
    ------
    ffi.error
        A struct has another size or other offsets than its declaration says.
    """
    count = 0
    for names in ffi.list_types():
        for name in names:
            try:
                ffi.sizeof(name)
                count += 1
            except ffi.error as error:
                if "know the size" not in str(error):  # a handle, whose struct is not public
                    raise
    return count
