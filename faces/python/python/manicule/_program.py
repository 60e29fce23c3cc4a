"""The program `manicule`, which the wheel carries."""

import signal
import sys


def main():
    """Runs the command line as the program does, and ends with its exit code."""
    # The program handles these itself, as if no interpreter were around it.
    for name in ("SIGINT", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    from . import _native

    code = _native.run_program(["manicule", *sys.argv[1:]])
    sys.stdout.flush()
    sys.exit(code)
