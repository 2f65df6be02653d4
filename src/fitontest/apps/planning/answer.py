"""The answer of a plan in words: how many rows what is wanted takes, or what the rows that were asked about give."""

from collections.abc import Iterable, Sequence
from typing import Literal

from fitontest.apps.planning.prospect import Prospect, power_noise
from fitontest.apps.planning.rows_needed import NORMAL, RowsNeeded
from fitontest.data.known_groups import KnownGroups, rows_in_words
from fitontest.results.text import short


def answer(
    prospects: Sequence[Prospect], needed: Sequence[RowsNeeded], draws: int, groups: KnownGroups | None = None
) -> list[str]:
    """Return a sentence for each thing that is wanted; without any, one for the smallest and the largest size.

    Parameters
    ----------
    prospects : sequence of Prospect
    needed : sequence of RowsNeeded
        Of each family.
    draws : int
        Evaluations behind each power.
    groups : KnownGroups or None, optional
        Of which the rows are made up.
    """
    if needed:
        wanted = dict.fromkeys((one.requirement, one.error) for one in needed)
        return [_sentence([one for one in needed if (one.requirement, one.error) == key], groups) for key in wanted]
    sizes = sorted({one.n for one in prospects})
    texts = (
        _size_in_words([one for one in prospects if one.n == n], draws, groups)
        for n in dict.fromkeys((sizes[0], sizes[-1]))
    )
    return [text for text in texts if text]


def largest_by_size(prospects: Sequence[Prospect], key: Literal["width", "power"]) -> dict[int, float]:
    """Return the largest of the values that exist, by the number of rows, which increases."""
    largest: dict[int, float] = {}
    for prospect in sorted(prospects, key=lambda prospect: prospect.n):
        value = getattr(prospect, key)
        if value is not None:
            largest[prospect.n] = max(value, largest.get(prospect.n, value))
    return largest


def hardest(needed: Iterable[RowsNeeded]) -> dict[str, RowsNeeded]:
    """Return what each family needs for one requirement, whichever way the scores are wrong: the most rows."""
    most: dict[str, RowsNeeded] = {}
    for one in needed:
        most[one.family] = max(most.get(one.family, one), one, key=lambda each: (not each.met, each.n))
    return most


def _sentence(needed: Sequence[RowsNeeded], groups: KnownGroups | None) -> str:
    """Say how many rows one requirement takes with the family that needs the fewest."""
    first = needed[0]
    if first.requirement == "width":
        goal = f"for an interval of +-{first.wanted / 2:.3g}"
    else:
        goal = f"to find an error of {first.error:g} in {100 * first.wanted:g} % of evaluations"
    by_family = hardest(needed)
    met = [one for one in by_family.values() if one.met]
    if not met:
        families = "" if len(by_family) == 1 else ", with each of these families"
        return f"More than {rows_in_words(max(one.n for one in needed), groups)} {goal}{families}."
    best = min(met, key=lambda one: one.n)
    rows = f"{'At most ' if best.relation == 'at most' else ''}{rows_in_words(best.n, groups)}"
    return f"{rows} {goal}, by {best.family}{best.range and f' ({best.range})'}."


def _size_in_words(prospects: Sequence[Prospect], draws: int, groups: KnownGroups | None) -> str:
    """Say what the best family gives at one size: of the largest least power, or of the narrowest interval.

    The power is that of the smallest error, whichever way the scores are wrong. "" where there is neither.
    """
    found = [one for one in prospects if one.error > 0 and one.power is not None]
    widths = {one.family: one.width for one in sorted(prospects, key=lambda one: one.width or 0.0) if one.width}
    said = []
    if found:
        error = min(one.error for one in found)
        powers: dict[str, float] = {}
        for one in found:
            if one.error == error:
                powers[one.family] = min(one.power or 0.0, powers.get(one.family, 1.0))
        best = max(powers, key=powers.__getitem__)
        power, noise = powers[best], NORMAL * power_noise(powers[best], draws)
        low, high = max(power - noise, 0.0), min(power + noise, 1.0)
        share = f"{100 * power:.0f} % of evaluations ({100 * low:.0f} to {100 * high:.0f})"
        said.append(f"an error of {error:g} is found in {share}")
    elif widths:
        best = min(widths, key=widths.__getitem__)
    else:
        return ""
    if best in widths:
        said.insert(0, f"an interval of +-{short(widths[best] / 2, 2)}")
    rows = rows_in_words(prospects[0].n, groups).rstrip(",")
    return f"{rows}: {', and '.join(said)}, by {best}."
