"""Change the code a little in many places, and see whether a test fails each time: `make mutants`.

How it is done and what it came to stands in docs/mutants.md. A copy of the tree is changed, never
the tree itself. One process has the libraries loaded and forks for each mutant, which spares most
of the seconds that a run of pytest takes to start; kernels are compiled into a cache of its own.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mutants.sites import Mutant, find_mutants

ROOT = Path(__file__).parents[2]
LIBRARIES = (
    "pytest numba numpy scipy.stats scipy.optimize scipy.sparse.csgraph pandas pyarrow "
    "pyarrow.parquet pydantic joblib filelock jinja2 rich typer psutil matplotlib.figure"
).split()
OUR_OWN = ("simulate", "strategies", "analysis", "sviten", "tests")


class Wing(NamedTuple):
    """What is changed, how often, and the tests that must notice: the cheapest ones first."""

    number: int
    tests: str
    without: tuple[str, ...] = ()


#: Plots are left out: what a person sees is looked at.
WINGS = {
    "analysis/stats": Wing(
        120,
        "tests/analysis/stats/test_thresholds.py tests/analysis/stats "
        "tests/analysis/bids/test_stated.py",
    ),
    "analysis/compare": Wing(
        70,
        "tests/analysis/compare/test_thresholds.py tests/analysis/compare",
        ("path_plot.py", "sweep_plot.py"),
    ),
    "strategies/bidders": Wing(40, "tests/strategies/bidders"),
    "strategies/players": Wing(50, "tests/strategies/players tests/strategies/test_players.py"),
    "simulate/game": Wing(24, "tests/simulate/game tests/simulate/engine/test_agreement.py"),
}


def copy_tree(work: Path) -> Path:
    """Copy the tree to where it is changed."""
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for name in OUR_OWN:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    return tree


def tests_of(path: str, wing: Wing) -> list[str]:
    """List the tests of a file: the one that mirrors it first."""
    source = Path(path)
    own = ROOT / "tests" / source.parent / f"test_{source.stem}.py"
    first = [str(own.relative_to(ROOT))] if own.exists() else []
    others = [
        str(file.relative_to(ROOT))
        for name in wing.tests.split()
        for file in ([ROOT / name] if name.endswith(".py") else sorted((ROOT / name).glob("t*.py")))
    ]
    return list(dict.fromkeys(first + [each for each in others if (ROOT / each).exists()]))


def passes(tree: Path, tests: Sequence[str], seconds: int) -> bool:
    """Run tests in a fork, with so much time of the processor; False where one fails."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        os.chdir(tree)
        for name in [name for name in sys.modules if name.split(".")[0] in OUR_OWN]:
            del sys.modules[name]
        sys.path.insert(0, str(tree))
        sys.dont_write_bytecode = True
        said = os.open(tree.with_name("last.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        pytest = importlib.import_module("pytest")
        status = int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def sample(folder: str, wing: Wing, seed: int) -> list[Mutant]:
    """Draw the mutants of a folder."""
    found = [
        mutant
        for file in sorted((ROOT / folder).glob("*.py"))
        if file.name not in wing.without
        for mutant in find_mutants(f"{folder}/{file.name}", file.read_text())
    ]
    return random.Random(f"{seed} {folder}").sample(found, min(wing.number, len(found)))


def survives(tree: Path, mutant: Mutant, tests: Sequence[str], seconds: int) -> bool:
    """Tell whether all tests pass with a mutant, and put the file back."""
    file = tree / mutant.path
    text = file.read_text()
    cache = Path(os.environ["SVITEN_CACHE"])
    before = set(cache.iterdir())
    file.write_text(mutant.apply(text))
    try:
        return passes(tree, tests, seconds)
    finally:
        file.write_text(text)
        for folder in set(cache.iterdir()) - before:
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Run the mutants, and print who survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("folders", nargs="*", default=list(WINGS), help="those to change")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", type=Path, help="only mutants that stand in this file")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "sviten-mutants")
    chosen = parser.parse_args()
    os.environ["SVITEN_CACHE"] = str(chosen.work / "cache")
    (chosen.work / "cache").mkdir(parents=True, exist_ok=True)
    tree = copy_tree(chosen.work)
    os.environ["PYTHONPATH"] = str(tree)
    for name in LIBRARIES:
        importlib.import_module(name)
    wanted = chosen.again.read_text() if chosen.again else None
    for folder in chosen.folders:
        wing = WINGS[folder]
        begun = time.monotonic()
        if not passes(tree, tests_of(f"{folder}/-", wing), 3600):
            sys.exit(f"the tests of {folder} fail with nothing changed")
        seconds = 60 + 4 * int(time.monotonic() - begun)
        mutants = sample(folder, wing, chosen.seed)
        if wanted is not None:
            mutants = [mutant for mutant in mutants if str(mutant) in wanted]
        left = 0
        for number, mutant in enumerate(mutants, 1):
            if survives(tree, mutant, tests_of(mutant.path, wing), seconds):
                left += 1
                print(f"{mutant}  ({number} of {len(mutants)})", flush=True)
        minutes = (time.monotonic() - begun) / 60
        print(f"{folder}: {len(mutants) - left} of {len(mutants)} killed, {minutes:.0f} min")


main()
