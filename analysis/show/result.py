"""How results show themselves: in Python by their sentence, in a notebook by their tables too."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from analysis.show.text import Table, is_numeric


class Shown:
    """What shows itself; a class has its sentence, and such tables and notes as it wants."""

    def sentence(self) -> str:
        """Answer in words."""
        raise NotImplementedError

    def shown_tables(self) -> list[Table]:
        """Tables to show."""
        return []

    def notes(self) -> list[str]:
        """Lines that belong to the tables."""
        return []

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {' '.join(self.sentence().splitlines())}>"

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        notes, lines = self.notes(), self.sentence().splitlines()
        return "\n".join(
            [
                *map(table_html, self.shown_tables()),
                *(f"<p><small>{escape(note)}</small></p>" for note in notes),
                *(f"<p><b>{escape(line)}</b></p>" for line in lines),
            ]
        )


def table_html(table: Table) -> str:
    """Write a table for a notebook, whose own style makes it look like its others."""
    sides = [
        "right" if place and is_numeric([row[place] for row in table.rows]) else "left"
        for place in range(len(table.columns))
    ]

    def row(cells: Sequence[str], tag: str) -> str:
        lines = [
            f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        ]
        return f"<tr>{''.join(lines)}</tr>"

    return "\n".join(
        [
            f"<div>{escape(table.title)}</div>",
            '<table class="dataframe">',
            f"<thead>{row(table.columns, 'th')}</thead>",
            "<tbody>",
            *(row(cells, "td") for cells in table.rows),
            "</tbody>",
            "</table>",
        ]
    )
