"""Checks of a request's form: names and types of its members, with the complaints left to each dialect.

A specification is a dictionary from name to kind; "name!" is required. A kind is "str", "int", "number", "bool",
"dict", "list" or "any"; a tuple of kinds is a choice, and None in it allows null. [kind] is a list of that kind, and
a callable checks a member itself: kind(value, path).
"""

PLAIN = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "dict": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
    "any": lambda value: True,
}


class Form:
    """The three complaints of a dialect; each raises."""

    def __init__(self, unknown, missing, mistyped):
        self.unknown, self.missing, self.mistyped = unknown, missing, mistyped

    def check(self, value, spec, path=()):
        """`value` is an object of `spec`."""
        if not isinstance(value, dict):
            self.mistyped(path, "dict", value)
        names = {name.rstrip("!"): kind for name, kind in spec.items()}
        for name in value:
            if name not in names:
                self.unknown(path + (name,), value[name])
        for name in spec:
            if name.endswith("!") and name[:-1] not in value:
                self.missing(path + (name[:-1],))
        for name, member in value.items():
            self.check_kind(member, names[name], path + (name,))

    def check_kind(self, value, kind, path):
        if isinstance(kind, tuple):
            if value is None and None in kind:
                return
            fitting = [option for option in kind if option is not None and self.fits(value, option)]
            if not fitting:
                self.mistyped(path, next(option for option in kind if option is not None), value)
            self.check_kind(value, fitting[0], path)
        elif isinstance(kind, list):
            if not isinstance(value, list):
                self.mistyped(path, "list", value)
            for number, member in enumerate(value):
                self.check_kind(member, kind[0], path + (number,))
        elif isinstance(kind, dict):
            self.check(value, kind, path)
        elif callable(kind):
            kind(value, path)
        elif not PLAIN[kind](value):
            self.mistyped(path, kind, value)

    @staticmethod
    def fits(value, kind):
        """Whether `value` looks as if it were meant to be of `kind`."""
        if isinstance(kind, list):
            return isinstance(value, list)
        if isinstance(kind, dict) or callable(kind):
            return isinstance(value, dict)
        return PLAIN[kind](value)
