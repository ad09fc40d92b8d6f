#!/usr/bin/env python3
"""Shows the events of one `stile run … --json` (standard input) to people, for scripts/demo.

    stile run STORY --json | demo_view.py RESULT_FILE

Writes one line on what the gate did into RESULT_FILE. Exit status 0 only if the run succeeded as its story
tells: with code.refactor no validation failed; without it one failed and the gate refused at least once
before it accepted.
"""

import json
import sys

SHOWN_ERRORS = 3


def target_of(arguments):
    if "newName" in arguments:
        return f"{arguments.get('symbolName', '')} → {arguments['newName']}"
    return arguments.get("path") or arguments.get("symbolName") or arguments.get("answer") or ""


def diagnostics_of(event):
    """Error diagnostics of a validation, one line each, and how many there are."""
    targets = event.get("targets", [])
    return ([line for target in targets for line in target.get("first_errors", [])],
            sum(target.get("errors", 0) for target in targets))


class View:
    def __init__(self):
        self.failures = self.refusals = self.acceptances = self.refactorings = 0
        self.calls = {}
        self.finished = None

    def show(self, event):
        kind = event.get("type")
        if kind == "model_response":
            text = (event.get("reply") or {}).get("text", "")
            if text:
                print(f"  model: {text}")
        elif kind == "tool_started":
            self.calls[event.get("call")] = target_of(event.get("arguments") or {})
        elif kind == "tool_finished" and event.get("tool") not in ("finish", "code.validate"):
            self.refactorings += bool(event.get("ok") and event.get("tool") == "code.refactor")
            sign = "ok" if event.get("ok") else "error"
            print(f"    {event.get('tool')} {self.calls.get(event.get('call'), '')}: {sign}")
            if not event.get("ok"):
                print(f"      {event.get('observation', '')}")
        elif kind == "validation_finished":
            self.show_validation(event)
        elif kind == "gate_rejected":
            self.refusals += 1
            print(f"    GATE REFUSES: {event.get('reason', '')}")
        elif kind == "gate_accepted":
            self.acceptances += 1
            print("    GATE ACCEPTS")
        elif kind == "run_finished":
            self.finished = event

    def show_validation(self, event):
        verdict = event.get("verdict")
        self.failures += verdict == "fail"
        names = ", ".join(target.get("validator") or "none" for target in event.get("targets", []))
        print(f"    validation by {names}: {verdict}")
        errors, count = diagnostics_of(event)
        for line in errors[:SHOWN_ERRORS]:
            print(f"      {line}")
        if count > SHOWN_ERRORS:
            print(f"      … and {count - SHOWN_ERRORS} more")

    def verdict(self):
        """(whether all went as it should, one line)."""
        if self.finished is None:
            return False, "the run did not finish"
        outcome = self.finished.get("outcome")
        if outcome != "succeeded":
            return False, f"{outcome}: {self.finished.get('reason', '')}"
        as_told = not self.failures if self.refactorings else self.failures and self.refusals
        if not (as_told and self.acceptances):
            return False, (f"validations failed {self.failures} times, refused {self.refusals} times, "
                           f"accepted {self.acceptances} times")
        times = "once" if self.refusals == 1 else f"{self.refusals} times"
        return True, f"refused {times}, then accepted" if self.refusals else "accepted at once"


def main(result_file):
    view = View()
    for number, line in enumerate(sys.stdin, 1):
        try:
            view.show(json.loads(line))
        except (json.JSONDecodeError, AttributeError) as error:
            print(f"line {number} of the events is no event: {error}", file=sys.stderr)
            return 1
        sys.stdout.flush()
    good, text = view.verdict()
    with open(result_file, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
