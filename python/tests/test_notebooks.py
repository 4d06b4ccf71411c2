"""The notebooks run from the first cell to the last."""

import pytest
from conftest import DATASETS, ROOT, told

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("openpyxl")
FOLDER = ROOT / "python" / "notebooks"


def run(path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown)
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
    return notebook


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_runs(path):
    run(path)


@pytest.mark.filterwarnings("ignore")
def test_an_exported_notebook_goes_on_with_the_package(tmp_path):
    """Its own cells compare what the package computes with what was exported."""
    options = ["--fix", "lag=3", "--estimate", "ka,beta", "--blood-breath-ratio", "2100", "--interval=wald"]
    told("export", DATASETS / "made-up-24", "--notebook", *options, "-o", tmp_path / "out")
    cells = run(tmp_path / "out" / "results.ipynb").cells
    again = next(cell for cell in cells if cell.get("id") == "again")
    assert "import promille" in again.source
    assert '"fix": ["lag=3"]' in again.source
