"""Runs a command of enrich and reads its JSON events: prints the progress, then the rows by status."""

import json
import subprocess
import sys

if len(sys.argv) < 2:
    sys.exit("usage: python3 summary.py enrich companies.csv -o out.parquet")
command = [*sys.argv[1:], "--json"]
summary = stopped = error = None
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
    for line in run.stdout:
        event = json.loads(line)
        if event["type"] == "progress":
            print(event["progress"]["done"], "of", event["progress"]["lookups"], file=sys.stderr)
        elif event["type"] == "finished":
            summary = event["summary"]
            stopped = event.get("stopped")
        elif event["type"] == "error":
            error = event

if error is not None:
    print(f"{error['code']}: {error['message']}", file=sys.stderr)
    sys.exit(error["exitCode"])
if stopped is not None:
    print("stopped early:", stopped["code"], stopped.get("message", ""), file=sys.stderr)
if summary is not None:
    # A run that stopped early writes no output, and so counts no rows: it counts the lookups that it answered.
    print(summary["rowsByStatus"] or summary["outcomes"])
# After 0 and 3, the output is written. The page on nightly jobs has the reaction to the other codes.
sys.exit(0 if run.returncode == 3 else run.returncode)
