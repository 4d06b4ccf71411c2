"""A session: the same answers from one process, whatever happens to it."""

import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest
from conftest import DATASETS, checked_by_threads, told
from test_numbers import VERBS

import promille as pm
from promille import _process

CASE = {"measured": 95, "unit": "bac_mg_per_100ml", "measured_at": "23:30", "limit": 50}


@pytest.fixture
def session():
    with pm.Session() as session:
        yield session


def answers(folder):
    """What every verb of a study says, and functions without one."""
    study = pm.read_study(folder)
    for verb, options in VERBS.items():
        result = getattr(study, verb)(**options)
        yield verb, result.arrow(), result.json, result.warnings
    yield "simulate", study.simulate(every=5, band=True).arrow()
    yield "report", study.report(figures=1, derived="none").html
    yield "sober", pm.case.sober(**CASE).json
    yield "curve", pm.curve([(0, 20)], sex=["male", "female"], weight=60, age=30, height=170).arrow()
    yield "r", pm.r_factors(sex="male", weight=[60, 70], age=30, height=170).to_dict()
    yield "explain", pm.explain("W_AT_BOUND")


@pytest.mark.parametrize("name", ["made-up-24", "nacar-2021"])
def test_a_session_gives_what_processes_give(name, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    alone = list(answers(DATASETS / name))
    with pm.Session():
        first = list(answers(DATASETS / name))
        again = list(answers(DATASETS / name))
    assert first == alone
    assert again == alone


@pytest.mark.parametrize("verb", VERBS)
def test_its_bytes_are_those_of_the_command(verb, session, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    study = pm.read_study(DATASETS / "made-up-24")
    line = study._line(verb, VERBS[verb])
    line.insert(1, "--format=json")
    assert _process.run(line).output == told(*line)


def test_frames_and_priors_go_to_a_session(frames, session, made_up):
    study = pm.Study.from_frames(**frames, session=session)
    prior = made_up.population(starts=1, blood_breath_ratio=2100)
    mine = study.forecast(prior=prior, after="first:3", draws=100, blood_breath_ratio=2100)
    assert len(mine.arrow()) == 30
    assert mine.json.count("<prior>") >= 1
    with pytest.raises(pm.StudyError) as caught:
        pm.Study.from_frames(frames["subjects"], frames["drinks"], frames["readings"].assign(time_min=-1e9))
    assert (caught.value.place.source, caught.value.place.column) == ("readings", "time_min")


def test_it_is_used_where_it_is_active_or_given(monkeypatch, tmp_path):
    session = pm.Session()
    study = pm.read_study(DATASETS / "nacar-2021", session=session)
    study.check()
    first = session._process.pid
    study.fit(interval="none")
    assert session._process.pid == first
    session.close()
    session.close()
    study.check()
    assert session._process.pid != first
    with session:
        with session:
            pm.explain("W_AT_BOUND")
        assert session._process is not None
    assert session._process is None
    # Another thread starts processes of its own.
    with pm.Session() as other:
        thread = threading.Thread(target=pm.explain, args=("W_AT_BOUND",))
        thread.start()
        thread.join()
        assert other._process is None


def test_an_error_leaves_it_alive(session):
    pm.explain("W_AT_BOUND")
    process = session._process
    study = pm.read_study(DATASETS / "made-up-24")
    for value in ("; rm -rf /", "--help", "-o", "\n", "a" * 100_000):
        with pytest.raises(pm.PromilleError):
            study.fit(prior=value)
    with pytest.raises(pm.OptionError, match="--nonsense"):
        study.fit(nonsense=3)
    with pytest.raises(pm.StudyError):
        pm.read_study(DATASETS).fit()
    assert session._process is process
    assert len(study.check().frame) == 30


def test_a_worker_that_ends_is_an_error_and_is_replaced(session):
    study = pm.read_study(DATASETS / "made-up-24")
    study.check()
    session._process.kill()
    session._process.wait()
    with pytest.raises(pm.CommandError, match="ended by signal 9") as caught:
        study.check()
    assert caught.value.code == "E_ENDED"
    timer = threading.Timer(2, lambda: session._process.kill())
    timer.start()
    with pytest.raises(pm.CommandError, match="ended by signal 9"):
        study.fit(interval="parametric-bootstrap", replicates=100_000)
    assert len(study.check().frame) == 30


def test_an_old_command_without_a_worker_is_an_error(monkeypatch, tmp_path):
    old = tmp_path / "promille"
    old.write_text("#!/bin/sh\necho 'no command worker' >&2\nexit 64\n")
    old.chmod(0o755)
    monkeypatch.setenv("PROMILLE_COMMAND", str(old))
    with pm.Session(), pytest.raises(pm.OptionError):
        pm.explain("W_AT_BOUND")


def test_an_interrupted_call_ends_the_worker(session):
    study = pm.read_study(DATASETS / "made-up-24")
    study.check()
    process = session._process
    timer = threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        study.fit(interval="parametric-bootstrap", replicates=100_000)
    assert time.monotonic() - start < 10
    assert process.returncode is not None
    assert len(study.check().frame) == 30


def test_threads_wait_for_each_other(session):
    study = pm.read_study(DATASETS / "nacar-2021", session=session)
    results = checked_by_threads(study)
    assert len(results) == 8
    assert all(result.equals(results[0]) for result in results)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_its_own(session):
    pm.explain("W_AT_BOUND")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            pm.explain("W_BETA_RANGE")
            session.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert "W_AT_BOUND" in pm.explain("W_AT_BOUND")


def test_nothing_is_left_open(frames):
    def ask():
        with pm.Session():
            study = pm.Study.from_frames(**frames)
            study.check()
            with pytest.raises(pm.OptionError):
                study.fit(estimate="x")

    ask()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        ask()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_worker_does_not_grow(session, frames):
    study = pm.Study.from_frames(**frames)

    def memory():
        text = pathlib.Path(f"/proc/{session._process.pid}/status").read_text(encoding="utf-8")
        return int(text.split("VmRSS:")[1].split()[0])

    for _ in range(10):
        study.fit(interval="none", quiet=True)
    before = memory()
    for _ in range(30):
        study.fit(interval="none", quiet=True)
    assert memory() < 1.2 * before + 10_000


def test_the_worker_refuses_what_is_no_request():
    done = subprocess.run([pm.command(), "worker"], input=b"\x00\xff\n", capture_output=True, check=False)
    head, _, rest = done.stdout.partition(b"\n")
    assert done.returncode == 65
    assert json.loads(head)["status"] == 64
    assert b"E_REQUEST" in rest
