"""The notebooks of docs/ run over golden data, and show what they have kept."""

import pathlib

import pytest

nbclient = pytest.importorskip("nbclient", reason="left out: nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="left out: nbformat is not installed")

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[3] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


def shown(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output["data"] for output in outputs if "data" in output]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_has_kept(path):
    notebook = nbformat.read(path, as_version=4)
    kept = shown(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    assert shown(notebook) == kept and len(kept) >= 4
