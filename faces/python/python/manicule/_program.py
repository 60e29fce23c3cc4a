"""The program `manicule`, which the wheel carries."""

import os
import signal
import sys


def main():
    """Runs the command line as the program does, and ends with its exit code."""
    # The program handles these itself, as if no interpreter were around it.
    for name in ("SIGINT", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    from . import _native

    # What starts it again, for an index that is kept: not Python, nor the file of `-m`.
    own = os.path.abspath(sys.argv[0])
    code = _native.run_program(own if os.access(own, os.X_OK) else None, ["manicule", *sys.argv[1:]])
    sys.stdout.flush()
    sys.exit(code)
