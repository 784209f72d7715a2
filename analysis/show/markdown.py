"""Tables in Markdown pages, between marks by which they are found and made anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from simulate.errors import RunError


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Table with its first column to the left and numbers to the right."""
    rule = ["---"] + ["---:"] * (len(columns) - 1)
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (columns, rule, *rows))


def replace_block(page: str, begin: str, end: str, text: str) -> str:
    """Put a text between two marks of a page.

    Raises
    ------
    RunError
        When the page has not each mark once, the end behind the beginning.
    """
    before, result, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (result and closed) or begin in rest or end in after:
        raise RunError(f"the page has not each of {begin} and {end} once, in this order")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def fill_page(page: str, blocks: Mapping[str, str]) -> str:
    """Put texts between the marks of their names: ``<!-- NAME -->`` and ``<!-- end NAME -->``."""
    for name, text in blocks.items():
        page = replace_block(page, f"<!-- {name} -->", f"<!-- end {name} -->", text)
    return page
