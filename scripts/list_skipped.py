#!/usr/bin/env python3
"""Lists the skipped tests of a JUnit file that ctest wrote, with the reason each gave.

Exit status 1 if the file is missing, cannot be read, or says that no test ran at all.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree


def reason_of(case):
    """What GoogleTest printed between "file:line: Skipped" and its closing line, on one line."""
    output = case.findtext("system-out") or ""
    match = re.search(r"^\S+:\d+: Skipped\n(.*?)^\[  SKIPPED \]", output, re.DOTALL | re.MULTILINE)
    return " ".join(match.group(1).split()) if match and match.group(1).strip() else "no reason given"


def main(path):
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    skipped = {}
    for case in cases:
        if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None:
            skipped.setdefault(reason_of(case), []).append(case.get("name"))
    count = sum(len(names) for names in skipped.values())
    if skipped:
        print(f"\nSkipped tests ({count} of {len(cases)}):")
        for reason, names in sorted(skipped.items()):
            print(f"  {reason}")
            for name in sorted(names):
                print(f"    {name}")
        print()
    if count == len(cases):
        print(f"{path}: no test ran", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
