"""Where a file can be changed a little: each change is text put in the place of other text.

Strings, annotations and docstrings stay as they are, and so do literal tables of numbers that were
fitted and records' fields: no test can say what another number there ought to be.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

#: What stands for an operator. One each: enough to tell whether anything looks at it.
_COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "+",
    ast.Pow: "*", ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&",
    ast.BitXor: "|", ast.MatMult: "+",
}  # fmt: skip
_CALLS = {"min": "max", "max": "min"}
_TABLES = {"array", "dtype"}
#: Decorators that say something of what is decorated, beside how it is compiled.
_DECLARED = ("bidder(", "player(")
#: Arguments that only guard against mistakes of our own.
_GUARDS = {"strict", "frozen", "repr", "inline"}


@dataclass(frozen=True)
class Mutant:
    """One change of a file.

    Attributes
    ----------
    path : str
    line, column : int
        Where `old` begins, from 1.
    old, new : str
    """

    path: str
    line: int
    column: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.old} -> {self.new}"

    def apply(self, text: str) -> str:
        """Give the text of the file with the change."""
        lines = text.splitlines(keepends=True)
        start = sum(map(len, lines[: self.line - 1])) + self.column - 1
        assert text.startswith(self.old, start), self
        return text[:start] + self.new + text[start + len(self.old) :]


def find_mutants(path: str, text: str) -> list[Mutant]:
    """List all changes of a file."""
    return list(_Finder(path, text).walk(ast.parse(text), ""))


class _Finder:
    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.lines = text.splitlines(keepends=True)

    def walk(self, node: ast.AST, returns: str) -> Iterator[Mutant]:
        """Find the changes within a node; `returns` is what the function around it gives."""
        if isinstance(node, ast.ClassDef):
            for child in node.body:
                yield from self.walk(child, "")
            return
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if ast.unparse(decorator).startswith(_DECLARED):
                    yield from self.walk(decorator, "")
            inner = ast.unparse(node.returns) if node.returns else ""
            for child in [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]:
                yield from self.walk(child, inner)
            return
        if isinstance(node, ast.JoinedStr) or _is_table(node):
            return
        if isinstance(node, ast.keyword) and node.arg in _GUARDS:
            return
        yield from self.changes(node, returns)
        for name, value in ast.iter_fields(node):
            if name == "annotation":
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self.walk(child, returns)

    def changes(self, node: ast.AST, returns: str) -> Iterator[Mutant]:
        """Find the changes of a node itself."""
        if isinstance(node, ast.Compare):
            left = node.left
            for operator, right in zip(node.ops, node.comparators, strict=True):
                yield from self.between(left, right, _COMPARISONS[type(operator)])
                left = right
        elif isinstance(node, ast.BinOp):
            yield from self.between(node.left, node.right, _OPERATORS[type(node.op)])
        elif isinstance(node, ast.AugAssign):
            yield from self.between(node.target, node.value, _OPERATORS[type(node.op)] + "=")
        elif isinstance(node, ast.BoolOp):
            other = "or" if isinstance(node.op, ast.And) else "and"
            for left, right in zip(node.values, node.values[1:], strict=False):
                yield from self.between(left, right, other)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield self.instead(node, ast.get_source_segment(self.text, node.operand) or "")
        elif isinstance(node, ast.Constant):
            yield from self.constants(node)
        elif isinstance(node, ast.If | ast.While | ast.IfExp):
            yield self.instead(node.test, f"(not ({self.segment(node.test)}))")
        elif isinstance(node, ast.Return) and node.value and returns in ("int", "float", "bool"):
            sign = "not" if returns == "bool" else "-"
            yield self.instead(node.value, f"{sign} ({self.segment(node.value)})")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _CALLS:
                yield self.instead(node.func, _CALLS[node.func.id])

    def constants(self, node: ast.Constant) -> Iterator[Mutant]:
        """Turn a truth over; take a whole number one up and down, another a twentieth up."""
        value = node.value
        if isinstance(value, bool):
            yield self.instead(node, str(not value))
        elif isinstance(value, int):
            others = [value + 1, value - 1] if value else [1]
            yield from (self.instead(node, str(other)) for other in others)
        elif isinstance(value, float):
            yield self.instead(node, repr(value * 1.05 if value else 0.05))

    def between(self, left: ast.AST, right: ast.AST, new: str) -> Iterator[Mutant]:
        """Put `new` for the operator between two nodes, if they stand on one line."""
        if left.end_lineno != right.lineno:  # type: ignore[attr-defined]
            return
        line = self.lines[right.lineno - 1].encode()  # type: ignore[attr-defined]
        gap = line[left.end_col_offset : right.col_offset].decode()  # type: ignore[attr-defined]
        old = gap.strip("() \n")
        column = len(line[: left.end_col_offset].decode()) + gap.index(old)  # type: ignore[attr-defined]
        yield Mutant(self.path, right.lineno, column + 1, old, new)  # type: ignore[attr-defined]

    def instead(self, node: ast.expr, new: str) -> Mutant:
        """Put `new` for a node."""
        column = len(self.lines[node.lineno - 1].encode()[: node.col_offset].decode())
        return Mutant(self.path, node.lineno, column + 1, self.segment(node), new)

    def segment(self, node: ast.AST) -> str:
        """Text of a node."""
        return ast.get_source_segment(self.text, node) or ""


def _is_table(node: ast.AST) -> bool:
    """Tell whether a node is an array or a record type written out."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _TABLES
        and bool(node.args)
        and isinstance(node.args[0], ast.List | ast.Tuple)
    )
