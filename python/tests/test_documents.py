"""What is documented works as it is printed, and the named options are those of the command."""

import contextlib
import inspect
import io
import re

import pytest
from conftest import ROOT, told

import promille as pm


def blocks(path, heading=""):
    """The Python code of a page, from a heading on."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index(heading) :]
    if heading:
        text = re.split(r"\n## ", text[3:])[0]
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize(("page", "heading"), [("README.md", "### Python"), ("python/README.md", "")])
def test_the_code_of_the_pages_runs(page, heading, monkeypatch, tmp_path):
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    (tmp_path / "my-study").symlink_to(ROOT / "datasets" / "made-up-24")
    monkeypatch.chdir(tmp_path)
    namespace = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(ROOT / page, heading):
            exec(compile(block, page, "exec"), namespace)
    assert "ka_per_h" in printed.getvalue()


def test_the_refusal_of_the_page_is_what_is_said():
    page = (ROOT / "python" / "README.md").read_text(encoding="utf-8")
    subjects = {"subject": ["a"]}
    readings = {"subject": ["a"] * 4, "time_min": [1.0, 2.0, 3.0, None], "bac_g_per_kg": [0.1] * 4}
    with pytest.raises(pm.StudyError) as caught:
        pm.Study.from_frames(subjects, {"subject": ["a"], "time_min": [0], "ethanol_g": [20]}, readings)
    assert f"StudyError: {caught.value}" in page


@pytest.mark.parametrize("verb", ["check", "fit", "compare", "sober", "population", "prior", "forecast", "simulate", "report"])
def test_named_options_are_the_commands(verb):
    text = told(verb, "--help-all").decode()
    for name in inspect.signature(getattr(pm.Study, verb)).parameters:
        if name not in ("self", "options", "path"):
            assert f"--{name.replace('_', '-')} " in text, name
    assert inspect.getdoc(getattr(pm.Study, verb))


@pytest.mark.parametrize("question", pm.case.__all__)
def test_named_options_of_cases_are_the_commands(question):
    text = told("case", question, "--help-all").decode()
    for name in inspect.signature(getattr(pm.case, question)).parameters:
        assert name == "options" or f"--{name.replace('_', '-')} " in text, name


def test_everything_public_is_described():
    for name in pm.__all__:
        thing = getattr(pm, name)
        assert inspect.getdoc(thing), name
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if not member.startswith("_") and callable(value):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_named_parameters_are_described():
    for function in (
        pm.read_study,
        pm.r_factors,
        pm.curve,
        *(getattr(pm.Study, name) for name in ("fit", "sober", "prior", "forecast")),
    ):
        text = inspect.getdoc(function)
        for name in inspect.signature(function).parameters:
            assert name == "self" or re.search(rf"(^|, |\*\*){name}\b", text, flags=re.MULTILINE), (function, name)
