"""Waiting for something to become true, with a reason when it does not."""
import time
from typing import Callable, TypeVar

Value = TypeVar("Value")


def wait_until(what: str, probe: Callable[[], Value], seconds: float = 30, every: float = 0.1) -> Value:
    """The first answer of the probe that is true. AssertionError with the last answer when the time is over."""
    end = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what} (last answer: {answer!r})")
        time.sleep(every)
