"""A job in parts, on a cluster of Dask: dask_parts.py SCHEDULER JOB PARTS OUTPUT INPUT...

Paths are absolute, and the same on each worker. Each worker has the checkpoint's password in ~/.pgpass or PGPASSWORD, and
ENRICH_BASE_URL and ENRICH_API_KEY_FILE; a worker of one thread runs one part at a time.
"""

import os
import subprocess
import sys


def run(part: int, parts: int, job: str, checkpoint: str, output: str, inputs: list[str]) -> int:
    """One part; 3 is a published part with rows that need a look."""
    command = ["enrich", *inputs, "-o", output, "--checkpoint", checkpoint, "--job", job, "--quiet"]
    code = subprocess.run([*command, "--partition", f"{part}/{parts}"], check=False).returncode
    if code not in (0, 3):
        raise RuntimeError(f"part {part} of {parts} ended with {code}")
    return part


def main(scheduler: str, job: str, parts: int, output: str, inputs: list[str]) -> None:
    from dask.distributed import Client, as_completed

    checkpoint = os.environ["ENRICH_CHECKPOINT"]
    with Client(scheduler) as client:
        # The parts of a worker that dies are given to others. What it had started may go on: of two attempts the first one to
        # publish the part stands.
        futures = [
            client.submit(run, part, parts, job, checkpoint, output, inputs, pure=False, retries=3)
            for part in range(1, parts + 1)
        ]
        for future in as_completed(futures):
            print(f"part {future.result()} is published", flush=True)
    collect = ["enrich", "collect", "--checkpoint", checkpoint, "--job", job]
    subprocess.run(collect, check=True)


if __name__ == "__main__":
    _, scheduler, job, parts, output, *inputs = sys.argv
    main(scheduler, job, int(parts), output, inputs)
