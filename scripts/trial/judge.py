"""Compares the places that a rename changed with those that an independent resolver names."""

import collections

from trial import text as texts
from trial.lsp import ServerError

MAX_LEFT_ASKED = 40
MAX_HIERARCHY_ASKED = 60

Edits = collections.namedtuple("Edits", "places foreign")  # {Place: form}, [text]
# `agree`, `more`, `less`: places. Of `more`, `defined` are the symbol by the resolver's own definition,
# though its rename left them out; `tied` mean what implements or overrides the symbol, or what it
# implements, by the resolver; of `overloads` and `related`, the declarations were renamed, too: those of
# the first have the symbol's name in the same type or namespace, nothing ties those of the second.
# `wrong`, `unexplained`: texts.
Comparison = collections.namedtuple("Comparison", "agree more less defined tied overloads related wrong unexplained")


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


def hierarchy(symbol, resolver):
    """The declarations that the resolver ties to that of the symbol by implementing or overriding."""
    found, pending, asked = {tuple(symbol)}, [tuple(symbol)], 0
    while pending and asked < MAX_HIERARCHY_ASKED:
        asked += 1
        try:
            others = resolver.implementations(pending.pop())
        except ServerError:
            continue
        pending += [other for other in others if other not in found and not other[0].startswith("/")]
        found |= others
    return found


def compare(symbol, edited, expected, resolver, source, left, kind_of, namesakes=frozenset()):
    """`symbol`: where it is declared. `edited`, `expected`: sets of places in code. `left`: places in code that hold the old name
    after the rename. `namesakes`: declarations of the name beside the symbol. `source(file)`: the text before; `kind_of(place)`: code, string or comment."""
    more, less = edited - expected, expected - edited
    defined, tied, overloads, related, wrong, unexplained = set(), set(), set(), set(), [], []
    ties = hierarchy(symbol, resolver) if more else set()

    def told(place):
        return f"{place[0]}:{place[1]}:{place[2]}: {line_of(source, place)}"

    def definition(place):
        try:
            return resolver.definition(place)
        except ServerError:
            return set()

    for place in sorted(more):
        targets = definition(place)
        if not targets:
            unexplained.append(f"also renamed, the resolver does not know it: {told(place)}")
        elif targets & expected:
            defined.add(place)
        elif targets & ties:
            tied.add(place)
        elif targets & edited & namesakes:
            overloads.add(place)
        elif targets & edited:
            related.add(place)
        else:
            where = ", ".join(f"{target[0]}:{target[1]}" for target in sorted(targets)[:3])
            wrong.append(f"renamed, but it is {where}: {told(place)}")
    for place in sorted(less):
        targets = definition(place)
        if targets & expected:
            wrong.append(f"left, and it is the symbol: {told(place)}")
        else:
            unexplained.append(f"left, the resolver's rename has it ({kind_of(place)}): {told(place)}")
    suspects = [place for place in sorted(left - less)[:MAX_LEFT_ASKED] if definition(place) & expected]
    # In macros and code that is not compiled, clangd guesses a definition by the name alone.
    references = resolver.references(symbol) if suspects else set()
    for place in suspects:
        if tuple(place) in references:
            wrong.append(f"left, and it is the symbol by definition: {told(place)}")
        else:
            unexplained.append(f"left, the symbol by definition and not by references: {told(place)}")
    if overloads:
        unexplained.append(f"overloads were renamed, too, in {len(overloads)} places")
    if related:
        unexplained.append("also renamed with its declaration: " +
                           " | ".join(told(place) for place in sorted(related)[:4]))
    return Comparison(edited & expected, more, less, defined, tied, overloads, related, wrong, unexplained)
