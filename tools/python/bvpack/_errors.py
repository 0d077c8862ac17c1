# SPDX-License-Identifier: MIT
"""Exceptions, one for each way in which a call of the library can fail."""

from __future__ import annotations

import errno as _errno
import os
from typing import NoReturn, Optional

from ._native import ffi, lib

NOWHERE = 2**64 - 1


class Error(Exception):
    """What all exceptions of bvpack derive from.

    Attributes
    ----------
    status : str
        The library's name of what happened, such as ``"corrupt"``.
    path : str or None
        The file that it is about.
    offset : int or None
        Byte offset in the file.
    rule : str or None
        The violated rule of spec/format.md, such as ``"HDR-4"``.
    """

    status: str = ""
    path: Optional[str] = None
    offset: Optional[int] = None
    rule: Optional[str] = None


class FormatError(Error, ValueError):
    """The bytes are no bvpack file, need a newer library, or are damaged."""


class LimitError(Error, ValueError):
    """Valid, but over a documented limit of the library."""


class ArgumentError(Error, ValueError):
    """An argument that the library refuses: NaN, a singular placement, a bad index."""


class FileError(Error, OSError):
    """The operating system refused; `errno` says why."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""


class CancelledError(Error):
    """The call was ended early: there is no answer, and the file may be sound."""


_CLASSES = {
    lib.BVP_ERR_NOT_OURS: FormatError,
    lib.BVP_ERR_NEWER: FormatError,
    lib.BVP_ERR_CORRUPT: FormatError,
    lib.BVP_ERR_LIMIT: LimitError,
    lib.BVP_ERR_NO_MEMORY: OutOfMemoryError,
    lib.BVP_ERR_SYSTEM: FileError,
    lib.BVP_ERR_ARGUMENT: ArgumentError,
    lib.BVP_ERR_CANCELLED: CancelledError,
    lib.BVP_ERR_AGAIN: FileError,
}

_MEANING = {
    lib.BVP_ERR_CORRUPT: "the file is damaged; `bvpack verify` tells where",
    lib.BVP_ERR_LIMIT: "the answer is over a limit of the library, or larger than its array",
    lib.BVP_ERR_NO_MEMORY: "an allocation failed",
    lib.BVP_ERR_ARGUMENT: "an argument is NaN, negative, infinite where it may not be, a singular "
    "placement, an index out of range, or of a kind that the file has not",
    lib.BVP_ERR_CANCELLED: "the call was ended before it had an answer",
}


def new_error():
    """Return a zeroed bvp_error."""
    return ffi.new("bvp_error *")


def raise_error(status: int, error=None, what: str = "", path: Optional[str] = None) -> NoReturn:
    """Raise the exception for `status`.

    Parameters
    ----------
    status : int
        Of the library, not BVP_OK.
    error : cdata of bvp_error, optional
        Details, of calls that give them.
    what : str
        The call, for calls that give no details.
    path : str, optional
        The file.
    """
    status = int(status)
    name = ffi.string(lib.bvp_status_name(status)).decode()
    message = ffi.string(error.message).decode("utf-8", "replace") if error else ""
    if not message:
        message = f"{what}: {_MEANING.get(status, name)}"
    if status == lib.BVP_ERR_NOT_OURS:
        message += "; a model is packed first: bvpack.pack(model, file)"
    kind = _CLASSES.get(status, Error)
    if kind is FileError:
        number = (error.sys_errno if error else 0) or _errno.EIO
        kind = MissingFileError if number == _errno.ENOENT else FileError
        raised: Error = kind(number, message, path)
    else:
        raised = kind(message)
    raised.status = name
    raised.path = path
    if error:
        raised.offset = None if error.offset == NOWHERE else error.offset
        raised.rule = ffi.string(error.rule).decode() or None
    raise raised


def path_bytes(path) -> bytes:
    """Return a path as the library takes it."""
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError(f"a zero byte in the path {path!r}")
    return data
