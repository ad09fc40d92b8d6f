"""Compares the places that a rename changed with those that an independent resolver names."""

import collections

from trial import text as texts
from trial.lsp import ServerError

MAX_LEFT_ASKED = 40

Edits = collections.namedtuple("Edits", "places foreign")  # {Place: form}, [text]
# `agree`, `more`, `less`: places. `related`: more, but their own declarations were renamed, too.
# `wrong`, `unexplained`: texts.
Comparison = collections.namedtuple("Comparison", "agree more less related wrong unexplained")


def edits_between(before, after, old, new):
    """`before`: {file: text}, `after`: {file as it was called before: text}."""
    found, foreign = {}, []
    for file, text in after.items():
        places, others = texts.renamed_places(before.get(file, ""), text, old, new)
        found.update({texts.Place(file, *place): form for place, form in places.items()})
        foreign += [f"{file}:{other}" for other in others]
    return Edits(found, foreign)


def line_of(source, place):
    lines = source(place[0]).split("\n")
    return lines[place[1] - 1].strip()[:160] if place[1] <= len(lines) else ""


def compare(edited, expected, resolver, source, left, kind_of):
    """`edited`, `expected`: sets of places in code. `left`: places in code that hold the old name
    after the rename. `source(file)`: the text before; `kind_of(place)`: code, string or comment."""
    more, less = edited - expected, expected - edited
    related, wrong, unexplained = set(), [], []

    def told(place):
        return f"{place[0]}:{place[1]}:{place[2]}: {line_of(source, place)}"

    def defined(place):
        try:
            return resolver.definition(place)
        except ServerError:
            return set()

    for place in sorted(more):
        targets = defined(place)
        if not targets:
            unexplained.append(f"also renamed, the resolver does not know it: {told(place)}")
        elif targets & expected:
            continue  # its rename left out what its definition knows
        elif targets & edited:
            related.add(place)
        else:
            where = ", ".join(f"{target[0]}:{target[1]}" for target in sorted(targets)[:3])
            wrong.append(f"renamed, but it is {where}: {told(place)}")
    for place in sorted(less):
        targets = defined(place)
        if targets & expected:
            wrong.append(f"left, and it is the symbol: {told(place)}")
        else:
            unexplained.append(f"left, the resolver's rename has it ({kind_of(place)}): {told(place)}")
    for place in sorted(left - less)[:MAX_LEFT_ASKED]:
        if defined(place) & expected:
            wrong.append(f"left, and it is the symbol by definition: {told(place)}")
    if related:
        unexplained.append("also renamed with its declaration: " +
                           " | ".join(told(place) for place in sorted(related)[:4]))
    return Comparison(edited & expected, more, less, related, wrong, unexplained)
