"""A line in a notebook that is rewritten while work goes on."""

from __future__ import annotations

import sys
from html import escape
from typing import Any


def in_notebook() -> bool:
    """Tell whether output goes to the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


class CellLine:
    """A bar with a text in the output of the cell that runs."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str, share: float | None = None) -> None:
        """Show a text in place of the last one, and which share of the work is done."""
        bar = "" if share is None else f'<progress value="{share:.4f}"></progress> '
        facts = {"text/plain": text, "text/html": f"{bar}{escape(text)}"}
        if self._handle is None:
            from IPython.display import display  # it is there, or this were no notebook

            show: Any = display
            self._handle = show(facts, raw=True, display_id=True)
        else:
            self._handle.update(facts, raw=True)
