#!/usr/bin/env python3
"""The cost of the runtime itself: N scripted turns against a local model server.

    tests/bench/loop_bench.py [--build build/release] [--turns 20] [--runs 9] [--tool shell|read]
                              [--files N] [--peer 'COMMAND …']

Each turn reads one file, through the shell tool or in-process; then a finish. The gate and its
snapshots are on. Prints the median over the runs of: milliseconds from start to the first request,
median gap from the end of a reply to the next request, wall seconds, peak memory, bytes of the first
request. A peer is any command; {url} and {workspace} in it are filled in. It runs in turn with stile.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def write_cassette(path, turns, tool):
    with open(path, "w", encoding="utf-8") as file:
        for i in range(turns):
            name = f"f{i:02d}.txt"
            call = ({"name": "shell_execute", "arguments": {"command": f"cat {name}"}}
                    if tool == "shell" else {"name": "file_read", "arguments": {"path": name}})
            call["id"] = f"call_{i}"
            file.write(json.dumps({"text": f"I read file {i}.", "tool_calls": [call],
                                   "usage": {"input_tokens": 100, "output_tokens": 10},
                                   "finish_reason": "tool_calls"}) + "\n")
        file.write(json.dumps({"text": "All read.", "tool_calls": [],
                               "usage": {"input_tokens": 100, "output_tokens": 10},
                               "finish_reason": "stop"}) + "\n")


def measure(server_program, cassette, command, workspace):
    server = subprocess.Popen([server_program, cassette], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    url = server.stdout.readline().strip()
    arguments = [part.format(url=url, workspace=workspace) for part in command]
    environment = dict(os.environ, OPENAI_API_KEY="bench", OPENAI_BASE_URL=url)
    start = time.monotonic()
    process = subprocess.Popen(arguments, cwd=workspace, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    errors = process.stderr.read().decode(errors="replace")
    server.stdin.close()
    seen = json.loads(server.stdout.read())
    server.wait()
    if status != 0:
        sys.exit(f"{arguments[0]} ended with status {status}: {errors[-2000:]}")
    return wall, usage.ru_maxrss / 1024, seen["requests"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--tool", choices=["shell", "read"], default="shell")
    parser.add_argument("--files", type=int, default=0, help="further files in the workspace")
    parser.add_argument("--peer", help="another command to measure in turn with stile")
    arguments = parser.parse_args()

    build = os.path.abspath(arguments.build)
    scratch = tempfile.mkdtemp(prefix="loop-bench-")
    try:
        workspace = os.path.join(scratch, "workspace")
        os.mkdir(workspace)
        for i in range(arguments.turns):
            with open(os.path.join(workspace, f"f{i:02d}.txt"), "w", encoding="utf-8") as file:
                file.write(f"content of file {i}\n" * 10)
        for i in range(arguments.files):
            folder = os.path.join(workspace, f"d{i // 100:03d}")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"{i:06d}.txt"), "w", encoding="utf-8") as file:
                file.write(f"{i}\n")
        cassette = os.path.join(scratch, "cassette.jsonl")
        write_cassette(cassette, arguments.turns, arguments.tool)
        os.environ["STILE_STATE_DIR"] = os.path.join(scratch, "state")
        commands = {"stile": [os.path.join(build, "bin", "stile"), "run", "-t", "read the files",
                              "--workspace", "{workspace}", "--model", "openai:bench", "--yes",
                              "--json"]}
        if arguments.peer:
            commands["peer"] = shlex.split(arguments.peer)
        server = os.path.join(build, "bin", "fake_model_server")
        rows = {name: [] for name in commands}
        for _ in range(arguments.runs + 1):
            for name, command in commands.items():
                rows[name].append(measure(server, cassette, command, workspace))
        print(f"{arguments.turns} turns of {arguments.tool}, {arguments.turns + arguments.files} "
              f"files, median of {arguments.runs} runs after one warm-up")
        print(f"{'program':10} {'first ms':>9} {'gap ms':>8} {'wall s':>8} {'MB':>7} {'bytes':>8}")
        for name, runs in rows.items():
            runs = runs[1:]
            gaps = [statistics.median(r["gap_ms"] for r in requests[1:]) for _, _, requests in runs]
            print(f"{name:10} "
                  f"{statistics.median(r[2][0]['gap_ms'] for r in runs):9.1f} "
                  f"{statistics.median(gaps):8.2f} "
                  f"{statistics.median(r[0] for r in runs):8.3f} "
                  f"{statistics.median(r[1] for r in runs):7.1f} "
                  f"{runs[0][2][0]['bytes']:8d}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
