"""Signals that end a command: it ends as an error does, so that nothing half-written stays behind."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))  # no SIGHUP on Windows


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Leave the block when a signal asks the process to end, with the exit code that a shell gives it: 128 + number.

    Only where nothing else has been said of the signal (`nohup` says that SIGHUP is ignored), and only in the main
    thread, where signals arrive. Further signals do not disturb the cleaning up after the first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def leave(number: int, frame: Any) -> None:  # noqa: ARG001 - the signature of handlers
        if not received:
            received.append(number)
            raise SystemExit(128 + number)

    former = {number: signal.signal(number, leave) for number in ENDING if signal.getsignal(number) is signal.SIG_DFL}
    try:
        yield
    except BaseException as error:
        if received and not isinstance(error, SystemExit):  # DuckDB makes an error of its own of it
            raise SystemExit(128 + received[0]) from error
        raise
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
