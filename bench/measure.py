#!/usr/bin/env python3
"""Runs a command on one core and prints its exit status, wall time and peak memory as JSON.

    bench/measure.py CORE OUTPUT SECONDS COMMAND [ARGS ...]

The command's standard output goes to the file OUTPUT; after SECONDS it is ended. This is a program of its own because Linux
counts the memory of the process that starts a command towards the command's peak: the starter has to be small.
"""
import json
import os
import signal
import sys
import time


def start(core, output, command):
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
        os.execvp("taskset", ["taskset", "-c", core, *command])
    return pid


def main():
    core, output, limit, *command = sys.argv[1:]
    began = time.monotonic()
    pid = start(core, output, command)
    signal.signal(signal.SIGALRM, lambda *_: os.kill(pid, signal.SIGKILL))
    signal.alarm(int(limit))
    _, status, usage = os.wait4(pid, 0)
    print(json.dumps({"status": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - began,
                      "peak_kib": usage.ru_maxrss}))


if __name__ == "__main__":
    main()
