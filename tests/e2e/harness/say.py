"""One way to tell what is going on: a line on standard error."""
import sys


def say(text: str) -> None:
    print(f"e2e: {text}", file=sys.stderr, flush=True)
