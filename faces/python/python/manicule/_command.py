"""Commands of the program, for what no method does: building, merging, repairing, restoring."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from ._errors import FailedError


def command(*words: str | os.PathLike[str], **environment: str) -> list[dict[str, Any]]:
    """Runs a command of the program, in a process of its own, and returns the objects that it prints
    with ``--json``. Raises :class:`FailedError` with what it says where it fails; that it has found
    nothing, or that something is wrong, is no failure.

    ``environment`` is added to that of the process, as ``RESTIC_PASSWORD=...``.

    >>> import manicule
    >>> manicule.command("series", "build", "-o", "blocks", "metrics.om")[-1]["series"]
    2
    """
    said = [os.fspath(word) for word in words]
    done = subprocess.run(
        [sys.executable, "-m", "manicule", *said, "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, **environment},
    )
    if done.returncode not in (0, 1):
        why = done.stderr.decode(errors="replace").strip()
        raise FailedError(why or f"{' '.join(said)} ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines() if line]
