"""The examples of the guide, and those in the package's own texts."""

import doctest
import importlib
import pathlib

import pytest

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "guide"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_examples_of_the_guide():
    ended = doctest.testfile(str(GUIDE / "from-python.md"), module_relative=False, optionflags=FLAGS)
    assert ended.attempted > 5 and ended.failed == 0


@pytest.mark.parametrize("module", ["manicule", "manicule._command", "manicule._find", "manicule._table", "manicule.graph"])
def test_examples_in_texts(module):
    ended = doctest.testmod(importlib.import_module(module), optionflags=FLAGS)
    assert ended.attempted > 0 and ended.failed == 0
