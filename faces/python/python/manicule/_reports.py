"""What a path is, and whether it is whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import _native

#: Called while a call goes on: the word for its phase, what is done, and of how much if that is known.
Progress = Callable[[str, int, "int | None"], object]


def _shown(progress: bool | Progress | None) -> Progress | None:
    """A bar of tqdm's for ``True``, where tqdm is there."""
    if progress is not True:
        return progress or None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar = tqdm(unit_scale=True, leave=False)

    def show(phase: str, done: int, whole: int | None) -> None:
        if bar.desc != f"{phase}: ":
            bar.reset(whole)
            bar.set_description(phase, refresh=False)
        bar.total = whole
        bar.update(done - bar.n)

    return show


def inspect(path: str | os.PathLike[str], *, progress: bool | Progress | None = None) -> list[dict[str, Any]]:
    """What a path is, and what it holds: for each kind that it is of its word and the report that
    ``manicule inspect --json`` prints."""
    return _native.inspect(os.fspath(path), _shown(progress))


def verify(path: str | os.PathLike[str], *, progress: bool | Progress | None = None) -> list[dict[str, Any]]:
    """Checks every checksum, order and reference of a path. For each kind that it is of: findings,
    warnings, what could not be read, and counts. It is whole if ``finding_count`` is 0 and
    ``failures`` is empty in each."""
    return _native.verify(os.fspath(path), _shown(progress))
