"""Runs a command of enrich and reads its JSON events: prints the progress, then the rows by status."""

import json
import subprocess
import sys

if len(sys.argv) < 2:
    sys.exit("usage: python3 summary.py enrich companies.csv -o out.parquet")
command = [*sys.argv[1:], "--json"]
summary = error = None
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
    for line in run.stdout:
        event = json.loads(line)
        if event["type"] == "progress":
            print(event["progress"]["done"], "of", event["progress"]["lookups"], file=sys.stderr)
        elif event["type"] == "finished":
            summary = event["summary"]
        elif event["type"] == "error":
            error = event

if error is not None:
    sys.exit(f"{error['code']}: {error['message']}")
if summary is not None:
    print(summary["rowsByStatus"])
# After 0 and 3, the output is written. The page on nightly jobs has the reaction to the other codes.
sys.exit(0 if run.returncode == 3 else run.returncode)
