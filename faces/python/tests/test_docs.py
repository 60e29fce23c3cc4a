"""The examples of the guide, and those in the package's own texts that need no more than golden data."""

import doctest
import pathlib

import pytest

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "guide"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", ["from-python.md", "graph-from-python.md"])
def test_examples_of_the_guide(page):
    if not (GUIDE / page).exists():
        pytest.fail(f"{page} is not there")
    ended = doctest.testfile(str(GUIDE / page), module_relative=False, optionflags=FLAGS)
    assert ended.attempted > 5 and ended.failed == 0
