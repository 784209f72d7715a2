"""Who meets whom, and what the runs of it are called."""

from __future__ import annotations

import pytest

from simulate.errors import RunError
from simulate.rules import Rules, make_rules
from simulate.runs.pairing import Meeting, make_runs, meeting_of, plan_meetings, seat_meeting
from strategies.declare.spec import load_entrant
from tests.fixtures.runs import BOLD, SHY

MEEK = "pass/random"
THREE = make_rules({"players": 3, "kitty": "exchange"})


def alike(*pairs: str) -> list[Meeting]:
    return [Meeting((one, one), (other, other)) for one, other in pairs]


def test_all_meet_all_or_the_first_one() -> None:
    assert plan_meetings("abcd", "round-robin", 4) == alike("ab", "ac", "ad", "bc", "bd", "cd")
    assert plan_meetings("abcd", "gauntlet", 4) == alike("ab", "ac", "ad")
    with pytest.raises(RunError, match="format 'swiss' is not known: it is round-robin or gauntl"):
        plan_meetings("ab", "swiss", 4)  # type: ignore[arg-type]


def test_unlike_partners_meet_two_of_each() -> None:
    meetings = plan_meetings("abc", "gauntlet", 4, mixed=True)
    assert meetings[:2] == alike("ab", "ac")
    mixed = [(("a", "b"), "aa"), (("a", "b"), "bb"), (("a", "c"), "aa"), (("a", "c"), "cc")]
    assert meetings[2:] == [Meeting(own, tuple(against)) for own, against in mixed]
    assert [meeting.mixed for meeting in meetings] == [False] * 2 + [True] * 4
    with pytest.raises(RunError, match="three players have no partners"):
        plan_meetings("ab", "round-robin", 3, mixed=True)


def test_of_three_players_each_is_the_one_among_two() -> None:
    meetings = plan_meetings("ab", "round-robin", 3)
    assert meetings == [Meeting(("a",), ("b",)), Meeting(("b",), ("a",))]
    assert [seat_meeting(meeting, 3) for meeting in meetings] == [list("abb"), list("baa")]


@pytest.mark.parametrize("rules", [Rules(), THREE], ids=["four", "three"])
def test_a_run_tells_who_met(rules: Rules) -> None:
    mixed = rules.players == 4
    meetings = plan_meetings([BOLD, SHY, MEEK], "round-robin", rules.players, mixed=mixed)
    runs = make_runs(meetings, rules, load_entrant, seed=7, deals=range(5, 9), matches=3)
    of_deals = [settings for settings in runs.values() if settings.unit == "deals"]
    of_matches = [settings for settings in runs.values() if settings.unit == "matches"]
    assert [meeting_of(settings) for settings in of_deals] == meetings
    assert [meeting_of(settings) for settings in of_matches] == [m for m in meetings if not m.mixed]
    assert {settings.ids for settings in of_deals} == {range(5, 9)}
    assert {settings.legs for settings in runs.values()} == {2 if mixed else 3}
    assert len(of_deals) + len(of_matches) == len(runs)


def test_names_depend_on_the_two_sides_alone() -> None:
    long = [f"tips(min_structures={k})/greedy" for k in (1, 2)]
    names = []
    for texts in ([BOLD, *long], [BOLD, SHY, *long], [long[1], long[0]]):
        meetings = plan_meetings(texts, "round-robin", 4)
        names.append(list(make_runs(meetings, Rules(), load_entrant, seed=1, deals=1)))
    assert len(set(names[1])) == 6
    assert set(names[0]) <= set(names[1])
    assert not set(names[0]) & set(names[2])
    for name in names[1]:
        assert name.isascii()
        assert not set(name) & set('/\\:*?"<>|() ')
        assert len(name) < 120
