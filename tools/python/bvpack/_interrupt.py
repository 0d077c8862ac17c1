# SPDX-License-Identifier: MIT
"""Ctrl-C during a call of the library, and what callbacks raise.

Queries run on the thread that asks. The library calls bvpy_poll() (python_calls.c) every few
microseconds, and this runs Python's signal handlers every 50 ms. If one raises, such as
KeyboardInterrupt, the query ends, and the exception goes on from where the query was asked.

Clash runs and packing run on threads of their own: the main thread waits for one, and
when a signal's handler raises there, sets the flag that ends the call.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, NoReturn, Optional, TypeVar

from ._errors import raise_error
from ._native import ffi, lib

Answer = TypeVar("Answer")

_raised: dict = {}  # thread -> the exception that ended its query


def _keep(_kind, value, _traceback):
    _raised[threading.get_ident()] = value
    return 1


@ffi.def_extern(name="bvpy_run_handlers", onerror=_keep, error=1)
def _run_handlers():
    return 0  # the interpreter runs the handlers of pending signals on the way here


# what every handle is opened with
polling = ffi.new("bvp_control *", {"callback": ffi.addressof(lib, "bvpy_poll")})


def raise_pending(status: int) -> None:
    """Raise what a signal's handler raised, if that is what ended a call."""
    if status == lib.BVP_ERR_CANCELLED:
        raised = _raised.pop(threading.get_ident(), None)
        if raised is not None:
            raise raised


def fail(status: int, what: str, body) -> NoReturn:
    """Raise for the status of a body's query: what a handler raised, or the library's error."""
    raise_pending(status)
    file = body.file
    raise_error(status, file._explain(int(status), body._c.part), what, file.path)


class Run:
    """One call that the main thread waits for, with callbacks that may raise.

    `control` is for the library. `callbacks` are reached through `handle`, which the library passes
    to them.
    """

    def __init__(self, **callbacks: Any) -> None:
        self._cancel = ffi.new("int *")
        self.control = ffi.new("bvp_control *", {"cancel": self._cancel})
        self.handle = ffi.new_handle(self)
        self.callbacks = callbacks
        self._error: Optional[BaseException] = None

    def stop(self, error: BaseException) -> None:
        """Let the call end, and `error` be raised where it was made."""
        if self._error is None:
            self._error = error
        self._cancel[0] = 1

    def wait(self, call: Callable[[], Answer]) -> Answer:
        """Return what `call` returns; an interrupt ends it."""
        if threading.current_thread() is not threading.main_thread():
            answer = call()
        else:
            answer = self._on_a_thread(call)
        if self._error is not None:
            raise self._error
        return answer

    def _on_a_thread(self, call: Callable[[], Answer]) -> Any:
        answers: list = []
        ended = threading.Event()  # Thread.join() returns early after a signal: bpo-45274

        def work() -> None:
            try:
                answers.append(call())
            except BaseException as error:  # noqa: BLE001: raised by wait()
                self.stop(error)
            finally:
                ended.set()

        threading.Thread(target=work, name="bvpack", daemon=True).start()
        while not ended.is_set():
            try:
                ended.wait()
            except BaseException as error:  # noqa: BLE001: raised by wait()
                self.stop(error)
        return answers[0] if answers else None


def run_of(handle) -> Run:
    """Return the run to which a callback belongs."""
    return ffi.from_handle(handle)


def stops_the_run(_kind, value, traceback):
    """For onerror of callbacks: the frame's first argument is the handle."""
    keeps_the_error(_kind, value, traceback)
    return 1


def keeps_the_error(_kind, value, traceback) -> None:
    """The same for callbacks that return nothing."""
    run_of(traceback.tb_frame.f_locals["user"]).stop(value)


__all__ = ["Run", "fail", "polling", "raise_pending", "run_of", "stops_the_run", "keeps_the_error"]
