"""A kind of study is one declaration: whatever needs to know it looks it up."""

from __future__ import annotations

import importlib
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

import sviten
from analysis.show.result import Shown
from simulate.errors import RunError
from simulate.rules import load_rules
from simulate.runs.play import Execution, RunInterrupted
from simulate.runs.study import Study, open_study
from simulate.store.make import make_settings
from strategies.declare.spec import load_entrant
from sviten.studies.base import HOMES, Kind, Place, Plan, conclude, run_study


@dataclass(frozen=True)
class Question:
    deals: int
    seed: int | None = None


@dataclass(frozen=True, repr=False)
class Counted(Shown):
    study: Study

    def sentence(self) -> str:
        return f"{self.study.done('only')} deals, seed {self.study.seed}"


def plan(question: Question, seed: int, begun: Study | None) -> Plan:
    settings = make_settings(
        load_rules("classic"), ["random/random"] * 4, load_entrant, seed=seed, deals=question.deals
    )
    return Plan({"only": settings}, {}, "count")


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Kind[Question, Counted]:
    """Declare a fifth kind, in a module of its own."""
    declared: Kind[Question, Counted] = Kind("count", plan, Counted, lambda result, took: None)
    module = ModuleType("counting_studies")
    module.KIND = declared  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(HOMES, "count", module.__name__)
    return declared


@pytest.mark.parametrize("name", HOMES)
def test_each_kind_is_declared_under_its_own_name(name: str) -> None:
    assert importlib.import_module(HOMES[name]).KIND.name == name


def test_a_fifth_kind_needs_no_more_than_its_declaration(
    kind: Kind[Question, Counted], tmp_path: Path
) -> None:
    out, flag = tmp_path / "out", threading.Event()
    flag.set()
    with pytest.raises(RunInterrupted, match=r"sviten\.resume\("):
        run_study(kind, Question(300, 7), Execution(1, stop=flag), Place(out))
    with pytest.raises(RunError, match="is unfinished"):
        conclude(open_study(out))
    assert str(sviten.resume(out, jobs=1)) == "300 deals, seed 7"
    assert str(conclude(open_study(out))) == "300 deals, seed 7"
    longer = run_study(kind, Question(400), Execution(1), Place(out))  # the seed of what is there
    assert str(longer) == "400 deals, seed 7"
    anew = run_study(kind, Question(50, 8), Execution(1), Place(out, overwrite=True))
    assert str(anew) == "50 deals, seed 8"


def test_a_kind_that_is_not_known_is_refused(
    kind: Kind[Question, Counted], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = run_study(kind, Question(50, 8), Execution(1), Place(tmp_path / "out")).study
    monkeypatch.delitem(HOMES, "count")
    for do in (conclude, lambda study: sviten.resume(study.folder)):
        with pytest.raises(RunError, match="of kind 'count', which this sviten cannot tell"):
            do(study)
