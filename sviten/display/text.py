"""Text for people: tables, and a hand trick by trick."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TextIO

from simulate.cards import SUIT_SIGNS, SUITS_DOWN

_WIDTH = 24


class Tabular(Protocol):
    """What can be shown as a table."""

    @property
    def title(self) -> str:
        """Line above it."""

    @property
    def columns(self) -> list[str]:
        """Heads."""

    @property
    def rows(self) -> list[list[str]]:
        """Cells, row by row."""


def shows_signs(stream: TextIO) -> bool:
    """Whether suit signs can be written to a stream."""
    try:
        "".join(SUIT_SIGNS.values()).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def show_table(table: Tabular, stream: TextIO | None = None) -> None:
    """Write a table: drawn where a person reads the stream, aligned text elsewhere."""
    stream = stream or sys.stdout
    if not stream.isatty():
        print(plain_table(table), file=stream)
        return
    from rich.console import Console  # not needed, and slow to import, in a pipe
    from rich.table import Table
    from rich.text import Text

    console = Console(file=stream)
    drawn = Table(title=Text(table.title), title_justify="left", title_style="bold")
    for place, head in enumerate(table.columns):
        # No name or number is cut, and names are the last to be broken.
        longest = max((len(row[place]) for row in table.rows), default=0)
        whole = place == 0 and longest <= console.width // 3
        side: Literal["left", "right"] = "right" if _numeric(table, place) else "left"
        drawn.add_column(head, justify=side, overflow="fold", no_wrap=whole)
    for row in table.rows:
        drawn.add_row(*map(Text, row))  # brackets in a spec are no markup
    plain = plain_table(table)
    wanted = console.measure(drawn, options=console.options.update(max_width=10_000))
    fits_plain = max(map(len, plain.splitlines())) <= console.width
    if wanted.maximum <= console.width or (wanted.minimum <= console.width and not fits_plain):
        console.print(drawn)
    else:
        print(plain, file=stream)


def plain_table(table: Tabular) -> str:
    """Table as aligned text, with its title above."""
    places = range(len(table.columns))
    cells = [table.columns, *table.rows]
    widths = [max(len(row[place]) for row in cells) for place in places]
    right = [_numeric(table, place) for place in places]
    lines = [table.title]
    for row in cells:
        texts = [
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(row, widths, right, strict=True)
        ]
        lines.append(("  " + "  ".join(texts)).rstrip())
    return "\n".join(lines) + "\n"


def _numeric(table: Tabular, place: int) -> bool:
    """Whether a column holds numbers and nothing else."""
    from analysis.show.text import is_numeric  # scipy with it, which `sviten --help` needs not

    return is_numeric([row[place] for row in table.rows])


def record_text(record: Mapping[str, Any], *, signs: bool = False) -> str:
    """Tell a hand: the cards, the auction, trick by trick, the melds and the score.

    Parameters
    ----------
    record : mapping
        The hand record.
    signs : bool
        Write suit signs rather than letters.
    """
    blocks = [
        _heading(record),
        _diagram(record["hands"], record["entrants"], signs),
        _aside(record, signs),
        _auction(record, signs),
        _tricks(record, signs),
        _why(record, signs),
        *(_side(record, name, signs) for name in ("declarers", "defenders")),
        _outcome(record),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _card(card: str, signs: bool) -> str:
    return card[:-1] + SUIT_SIGNS[card[-1]] if signs and card != "*" else card


def _bid(text: str, signs: bool) -> str:
    return text[:-1] + SUIT_SIGNS[text[-1]] if signs and len(text) == 2 else text


def _heading(record: Mapping[str, Any]) -> str:
    return (
        f"Deal {record['deal_id']}, leg {record['leg']}, seed {record['seed']}; "
        f"dealer {record['dealer']}"
    )


def _diagram(hands: Mapping[str, Sequence[str]], entrants: Mapping[str, str], signs: bool) -> str:
    """Draw the hands around the table, N at the top."""
    blocks = {}
    for seat, cards in hands.items():
        lines = [f"{seat}  {entrants[seat]}"]
        for suit in SUITS_DOWN:
            ranks = " ".join(card[:-1] for card in cards if card[-1] == suit)
            lines.append(f"{SUIT_SIGNS[suit] if signs else suit} {ranks or '-'}")
        blocks[seat] = lines
    if set(blocks) != set("NESW"):
        return "\n\n".join("\n".join(lines) for lines in blocks.values())
    width = max(_WIDTH, *(len(line) + 2 for line in blocks["W"]))
    pad = " " * (width // 2)
    middle = [west.ljust(width) + east for west, east in zip(blocks["W"], blocks["E"], strict=True)]
    lines = [pad + line for line in blocks["N"]] + middle + [pad + line for line in blocks["S"]]
    return "\n".join(lines)


def _aside(record: Mapping[str, Any], signs: bool) -> str:
    """Tell what lies beside the hands: kitty and jokers."""
    lines = []
    if record["kitty"]:
        lines.append("Kitty " + " ".join(_card(card, signs) for card in record["kitty"]))
    if record["discard"]:
        lines.append("laid down " + _card(record["discard"], signs))
    lines += [f"{_count(n, 'joker')} to {seat}" for seat, n in record["jokers"].items() if n]
    return ", ".join(lines)


def _auction(record: Mapping[str, Any], signs: bool) -> str:
    """Tell the calls, a column a seat, a new line whenever a seat to the left has spoken."""
    seats = list(record["hands"])
    lines = ["Auction  " + "".join(seat.ljust(6) for seat in seats).rstrip()]
    row: dict[str, str] = {}
    last = -1

    def end_row() -> None:
        lines.append((" " * 9 + "".join(row.get(s, "").ljust(6) for s in seats)).rstrip())

    for call in record["auction"]:
        place = seats.index(call["seat"])
        if place <= last:
            end_row()
            row = {}
        row[call["seat"]] = _bid(call["call"], signs)
        last = place
    end_row()
    contract = record["contract"]
    if contract:
        bid = _bid(f"{contract['level']}{contract['denomination']}", signs)
        if contract["target"] is not None:
            bid += f" for {contract['target']} points"
        stated = contract["stated"]
        text = "" if stated is None else f", with a stated chance of {stated:.3f}"
        lines.append(f"Contract {bid} by {contract['declarer']}{text}")
    elif record["tricks"]:
        lines.append("No contract: played out at NT")
    else:
        lines.append("Passed out")
    return "\n".join(lines)


def _tricks(record: Mapping[str, Any], signs: bool) -> str:
    """Tell the tricks, a column a seat; the card led in brackets."""
    if not record["tricks"]:
        return ""
    seats = list(record["hands"])
    lines = ["Trick    " + "".join(seat.ljust(6) for seat in seats) + "won by"]
    for number, trick in enumerate(record["tricks"], 1):
        first = seats.index(trick["leader"])
        row = {}
        for place, card in enumerate(trick["cards"]):
            text = _card(card, signs)
            row[seats[(first + place) % len(seats)]] = f"{text}" if place else f"({text})"
        cells = "".join(row[seat].ljust(6) for seat in seats)
        lines.append(f"{number:>5}    {cells}{trick['winner']}")
    return "\n".join(lines)


def _why(record: Mapping[str, Any], signs: bool) -> str:
    """Tell what players that weigh their cards gave each of them, the best first."""
    if "why" not in record:
        return ""
    if not record["why"]:
        return "Nobody weighed cards: no player of this hand tries them out in thought."
    blocks = ["Weighed: mean gain in points above the plain card (standard error), best first"]
    for note in record["why"]:
        given = [
            f"{_card(each['card'], signs)} {each['gain']:+.1f} ({each['standard_error']:.1f})"
            for each in note["candidates"]
        ]
        count = _count(note["worlds"], "world")
        head = f"{note['trick'] + 1:>5} {note['seat']} {_card(note['card'], signs)}, {count}: "
        blocks.append(
            textwrap.fill("; ".join(given), 80, initial_indent=head, subsequent_indent=" " * 8)
        )
    return "\n".join(blocks)


def _side(record: Mapping[str, Any], name: str, signs: bool) -> str:
    """Tell a side's melds and how its score is made up."""
    if not record["tricks"]:
        return ""
    side = record["sides"][name]
    role = name if record["contract"] else "no contract"
    bonus = f", slam {side['slam_bonus']}" if side["slam_bonus"] else ""
    lines = [
        f"{'+'.join(side['seats'])} ({role}): {side['score']} points; {side['tricks']} tricks, "
        f"{_count(len(side['melds']), 'meld')} worth {side['meld_points']}, "
        f"{_count(side['dead'], 'dead card')}{bonus}"
    ]
    lines += ["    " + " ".join(_card(card, signs) for card in meld) for meld in side["melds"]]
    return "\n".join(lines)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _outcome(record: Mapping[str, Any]) -> str:
    if record["made"] is None:
        return ""
    return "The contract is made." if record["made"] else "The contract has failed."


def layout_text(
    points: int, melds: Sequence[Sequence[str]], dead: int, *, signs: bool = False
) -> str:
    """Tell a layout: a line of sums, then a line for each meld."""
    lines = [
        f"{_count(points, 'point')}, {_count(len(melds), 'meld')}, {_count(dead, 'dead card')}"
    ]
    lines += ["    " + " ".join(_card(card, signs) for card in meld) for meld in melds]
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Tell a time in the unit that suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def file_size(size: float) -> str:
    """Tell a number of bytes in the unit that suits it."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
