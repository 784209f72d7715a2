"""Writes an example strategy into a file, to start from."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path

from simulate.errors import Option, StrategyError
from strategies.declare.registry import Kind

_TEMPLATES = Path(__file__).with_name("templates")
#: Letters of a line in the example.
_LINE = 100
_DOCSTRING = re.compile(r'""".*?"""\n', re.DOTALL)


def write_strategy(
    path: Path, kinds: Sequence[Kind] = ("bidder", "player"), *, overwrite: bool = False
) -> str:
    """Write a working strategy that says in comments what is what.

    Parameters
    ----------
    path : Path
        A new ``.py`` file; the strategy bears its name.
    kinds : sequence of {"bidder", "player"}
    overwrite : bool
        Replace a file that is there.

    Returns
    -------
    str
        What the strategy is to be called by.

    Raises
    ------
    StrategyError
        When the file is there, or its name is no name of a strategy.
    """
    name = path.stem
    if path.suffix != ".py" or not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise StrategyError(
            f"{path} is no name of a strategy's file: write one like mine.py, of letters, digits, "
            "- and _"
        )
    if path.exists() and not overwrite:
        raise StrategyError(f"{path} is there already: ", Option("overwrite", True), " replaces it")
    texts = [(_TEMPLATES / f"{kind}.py").read_text(encoding="utf-8") for kind in kinds]
    text = _join(texts) if len(texts) > 1 else texts[0]
    try:
        path.write_text(text.replace("NAME", name).replace("FILE", str(path)), encoding="utf-8")
    except OSError as error:
        raise StrategyError(f"cannot write {path}: {error.strerror}") from error
    return f"{path}:{name}"


def _join(texts: Sequence[str]) -> str:
    """Put strategies into one file: their imports together, then one after the other."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    bodies = []
    for text in texts:
        head, _, body = _DOCSTRING.sub("", text, count=1).partition("\n\n\n")
        bodies.append(body.rstrip("\n"))
        for node in ast.parse(head).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                named.setdefault(node.module, set()).update(alias.name for alias in node.names)
            else:
                plain.add(ast.unparse(node))
    imports = [_import_of(module, sorted(names, key=_order)) for module, names in named.items()]
    blocks = ["\n".join(block) for block in (sorted(plain), imports) if block]
    whole = (_TEMPLATES / "both.py").read_text(encoding="utf-8")
    return "\n".join([whole, *("\n\n".join(blocks), "", ""), "\n\n\n".join(bodies), ""])


def _import_of(module: str, names: Sequence[str]) -> str:
    """Import of names of a module, a name a line where one line would be long."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= _LINE:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _order(name: str) -> tuple[int, str]:
    """Constants first, then classes, as linters have it."""
    return 0 if name.isupper() else 1 + name[0].islower(), name
