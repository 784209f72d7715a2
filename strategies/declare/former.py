"""Names that modules had before: copies of plug-ins in older run folders still import them.

Only while a plug-in is loaded, and only for it, an old name gives the module as it is called now.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from simulate.compiled import kernels

#: What a plug-in of 0.1.0 could import, and where it is now.
FORMER = {
    "simulate.bits": "simulate.compiled.bits",
    "simulate.deal": "simulate.game.deal",
    "simulate.kernels": "simulate.compiled.kernels",
    "simulate.layouts": "simulate.melds.layouts",
    "simulate.philox": "simulate.compiled.philox",
    "simulate.plain": "simulate.compiled.callbacks",
    "simulate.scoring": "simulate.game.scoring",
    "simulate.table": "simulate.game.records",
    "simulate.tricks": "simulate.game.tricks",
    "simulate.work": "simulate.engine.scratch",
    "strategies.between": "strategies.knowledge.defaults",
    "strategies.calls": "strategies.knowledge.calls",
    "strategies.card_points": "strategies.knowledge.card_points",
    "strategies.endgame": "strategies.search.endgame",
    "strategies.estimates": "strategies.knowledge.estimates",
    "strategies.judgement": "strategies.knowledge.judgement",
    "strategies.playouts": "strategies.search.playouts",
    "strategies.prospects": "strategies.knowledge.prospects",
    "strategies.registry": "strategies.declare.registry",
    "strategies.worlds": "strategies.search.worlds",
}

# So that an edit of such a module makes what a plug-in compiled of it stale.
kernels.renamed.update(FORMER)


class _Loader(Loader):
    """Gives a module that has another name now, and leaves it as it is."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Give the module as it is called now."""
        module = importlib.import_module(FORMER[spec.name])
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module be: it was run under its own name."""
        module.__spec__ = self._spec


class FormerFinder(MetaPathFinder):
    """Finds modules by the names that they had."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find an old name, where nothing else has."""
        return ModuleSpec(name, _Loader()) if name in FORMER else None


def forget_former(modules: dict[str, ModuleType]) -> None:
    """Take the old names out of `modules` and of their packages again."""
    for name in FORMER:
        if modules.pop(name, None):
            package, _, short = name.rpartition(".")
            delattr(modules[package], short)
