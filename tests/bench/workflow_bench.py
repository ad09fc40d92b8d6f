#!/usr/bin/env python3
"""Times workflows of steps that do nothing, and GNU make with as many targets that do nothing, in turn.

  tests/bench/workflow_bench.py [--steps 1000 5000 10000] [--runs 5] [--binary build/release/bin/stile]

Prints the median wall time and the peak memory of one process. `chain`: each step depends on the one before;
`wide`: none depends on any other.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def workflow(steps, chain):
    lines = ["name: bench", "steps:"]
    for number in range(steps):
        depends = f", depends_on: [s{number - 1}]" if chain and number > 0 else ""
        lines.append(f"  s{number}: {{type: noop{depends}}}")
    return "\n".join(lines) + "\n"


def makefile(steps, chain):
    names = " ".join(f"s{number}" for number in range(steps))
    lines = [f".PHONY: all {names}", f"all: {names}"]
    lines += [f"s{number}: {f's{number - 1}' if chain and number > 0 else ''}\n\t@:" for number in range(steps)]
    return "\n".join(lines) + "\n"


def measure(command, cwd, env):
    """Seconds and megabytes. The child's own peak: a process of its own waits for it."""
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        code = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.DEVNULL, check=False).returncode
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        with open(os.path.join(cwd, "peak"), "w", encoding="utf-8") as file:
            file.write(str(peak))
        os._exit(0 if code == 0 else 1)
    _, status = os.waitpid(child, 0)
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"{' '.join(command)}: failed")
    with open(os.path.join(cwd, "peak"), encoding="utf-8") as file:
        return seconds, int(file.read()) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, nargs="+", default=[1000, 5000, 10000])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--binary", default="build/release/bin/stile")
    options = parser.parse_args()
    stile = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory() as root:
        workspace = os.path.join(root, "workspace")
        os.mkdir(workspace)
        env = dict(os.environ, STILE_STATE_DIR=os.path.join(root, "state"))
        for chain in (True, False):
            for steps in options.steps:
                with open(os.path.join(workspace, "w.yaml"), "w", encoding="utf-8") as file:
                    file.write(workflow(steps, chain))
                with open(os.path.join(workspace, "Makefile"), "w", encoding="utf-8") as file:
                    file.write(makefile(steps, chain))
                rows = {"stile": [stile, "workflow", "run", "w.yaml", "--quiet"], "make": ["make", "-s", "all"]}
                results = {name: [] for name in rows}
                for _ in range(options.runs):
                    for name, command in rows.items():
                        results[name].append(measure(command, workspace, env))
                for name, measured in results.items():
                    seconds = statistics.median(row[0] for row in measured)
                    print(f"{'chain' if chain else 'wide':5} {steps:6} {name:5} {seconds:7.3f} s {max(row[1] for row in measured):6.1f} MB")


if __name__ == "__main__":
    main()
