"""Where a name stands in source text, and which of its places an edit changed. Pure functions.

A place is (line, column), both 1-based; columns count characters.
"""

import bisect
import collections
import re

Place = collections.namedtuple("Place", "file line column")

_STRING = r'"(?:\\.|[^"\\\n])*"'
_QUOTED = r"'(?:\\.|[^'\\\n])*'"
_CHARACTER = r"'(?:\\[^'\n]*|[^'\\\n])'"
_SLASHES = r"//[^\n]*|/\*.*?\*/"
_LEXERS = {
    # Template strings are taken apart by _template_code.
    "script": re.compile(rf"(?P<comment>{_SLASHES})|(?P<string>{_STRING}|{_QUOTED})|"
                         r"(?P<template>`(?:\\.|[^`\\])*`)", re.S),
    "python": re.compile(r"(?P<comment>\#[^\n]*)|(?P<format>\b[rR]?[fF][rR]?(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|"
                         rf"'''(?:\\.|[^\\])*?'''|{_STRING}|{_QUOTED}))|"
                         r'(?P<string>"""(?:\\.|[^\\])*?"""|' r"'''(?:\\.|[^\\])*?'''|"
                         rf"{_STRING}|{_QUOTED})", re.S),
    "go": re.compile(rf"(?P<comment>{_SLASHES})|(?P<string>{_STRING}|{_CHARACTER}|`[^`]*`)", re.S),
    "csharp": re.compile(rf'(?P<comment>{_SLASHES})|(?P<string>@"(?:""|[^"])*"|"""+.*?"""+|'
                         rf"(?<!\$){_STRING}|{_CHARACTER})", re.S),
    "other": re.compile(rf'(?P<comment>{_SLASHES})|(?P<string>r#+".*?"#+|"""+.*?"""+|'
                        r'"(?:\\.|[^"\\])*"|' rf"{_CHARACTER})", re.S),
}
_KIND_OF = {"typescript": "script", "javascript": "script", "python": "python", "go": "go",
            "csharp": "csharp"}
_BRACES = re.compile(r"\{[^{}]*\}")


def line_starts(text):
    """Offsets at which lines begin."""
    return [0] + [match.end() for match in re.finditer("\n", text)]


def place_of(starts, offset):
    line = bisect.bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def word_pattern(name):
    return re.compile(r"(?<![A-Za-z0-9_$])" + re.escape(name) + r"(?![A-Za-z0-9_$])")


def regions(text, language):
    """[(begin, end, "comment" or "string")] in order. What a format string computes is code."""
    found = []
    for match in _LEXERS[_KIND_OF.get(language, "other")].finditer(text):
        kind = match.lastgroup
        if kind not in ("template", "format"):
            found.append((match.start(), match.end(), kind))
            continue
        position = match.start()
        for hole in _BRACES.finditer(text, match.start(), match.end()):
            found.append((position, hole.start(), "string"))
            position = hole.end()
        found.append((position, match.end(), "string"))
    return found


def places_of_name(text, name, language):
    """{(line, column): "code", "comment" or "string"} of every place where the name is a word."""
    if name not in text:
        return {}
    starts, inside = line_starts(text), regions(text, language)
    begins = [region[0] for region in inside]
    places = {}
    for match in word_pattern(name).finditer(text):
        index = bisect.bisect_right(begins, match.start()) - 1
        kind = "code"
        if index >= 0 and match.start() < inside[index][1]:
            kind = inside[index][2]
        places[place_of(starts, match.start())] = kind
    return places


def renamed_places(before, after, old, new):
    """Compares two versions of a file. Returns (places, foreign): the places of `old` that now hold
    `new`, with what else was written there ("" as a rule; "old: new" of a shorthand), and the lines
    that changed in another way."""
    places, foreign = {}, []
    pattern = word_pattern(old)
    # `old` may become these; the longest first.
    forms = [f"{old}: {new}", f"{new}: {old}", f"{old} as {new}", f"{new} as {old}", f"{old}={new}",
             f"{new}={old}", f"{new} = {old}", new]
    old_lines, new_lines = before.split("\n"), after.split("\n")
    pairs = _pair_lines(old_lines, new_lines, pattern, forms)
    if pairs is None:
        return places, [f"{len(old_lines)} lines became {len(new_lines)}"]
    for number, old_line, new_line in pairs:
        if old_line == new_line:
            continue
        found = _follow(old_line, new_line, pattern, forms)
        if found is None:
            foreign.append(f"{number}: {old_line.strip()} -> {new_line.strip()}")
            continue
        for column, form in found:
            places[number, column] = "" if form == new else form
    return places, foreign


def _pair_lines(old_lines, new_lines, pattern, forms):
    """(number, old line, new line) of every line; None where lines came or went. An import of which two things have
    the name may stand there twice afterwards, with either name; the line with the new one is the pair."""
    pairs, at = [], 0
    for number, old_line in enumerate(old_lines, 1):
        rest = len(new_lines) - at - (len(old_lines) - number + 1)
        if rest < 0:
            return None
        both = new_lines[at:at + 2]
        is_double = rest > 0 and old_line.lstrip().startswith(("import ", "using ")) and old_line in both
        renamed = [line for line in both if line != old_line]
        if is_double and len(renamed) == 1 and _follow(old_line, renamed[0], pattern, forms):
            pairs.append((number, old_line, renamed[0]))
            at += 2
            continue
        pairs.append((number, old_line, new_lines[at]))
        at += 1
    return pairs if at == len(new_lines) else None


def _follow(old_line, new_line, pattern, forms):
    """Which names of the old line took which form in the new one; None: other text changed, too."""
    words = list(pattern.finditer(old_line))

    def step(index, old_at, new_at):
        if index == len(words):
            return [] if old_line[old_at:] == new_line[new_at:] else None
        word = words[index]
        between = old_line[old_at:word.start()]
        if not new_line.startswith(between, new_at):
            return None
        new_at += len(between)
        for form in forms:
            if new_line.startswith(form, new_at):
                rest = step(index + 1, word.end(), new_at + len(form))
                if rest is not None:
                    return [(word.start() + 1, form)] + rest
        if new_line.startswith(word.group(), new_at):
            return step(index + 1, word.end(), new_at + len(word.group()))
        return None

    return step(0, 0, 0)


def apply_edits(text, edits):
    """Applies [((line, column), (line, column), new text)]."""
    starts = line_starts(text)

    def offset(place):
        if place[0] > len(starts):
            return len(text)
        return starts[place[0] - 1] + place[1] - 1

    for begin, end, new_text in sorted(set(edits), reverse=True):
        text = text[:offset(begin)] + new_text + text[offset(end):]
    return text


def new_name(old):
    """A name in the style of the old one that nothing else has."""
    if old.upper() == old and len(old) > 1:
        return old + "_ZQ"
    return old + ("_zq" if old.lower() == old and "_" in old else "Zq")
