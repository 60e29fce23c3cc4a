"""The notebooks of docs/ run over golden data, and show what they have kept."""

import pathlib

import pytest

nbclient = pytest.importorskip("nbclient", reason="left out: nbclient is not installed")
nbformat = pytest.importorskip("nbformat", reason="left out: nbformat is not installed")

NOTEBOOKS = sorted((pathlib.Path(__file__).parents[3] / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert all(output.output_type != "error" for output in shown) and len(shown) >= 4
