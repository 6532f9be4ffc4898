"""Run a partitioned job on a Dask cluster: dask_parts.py SCHEDULER JOB PARTS OUTPUT INPUT...

Paths are absolute, and the same on each worker. Each worker has ENRICH_BASE_URL and ENRICH_API_KEY_FILE in its environment,
and the password of the database in ~/.pgpass or PGPASSWORD. A worker with one thread runs one partition at once.
"""

import os
import subprocess
import sys


def run(part: int, parts: int, job: str, checkpoint: str, output: str, inputs: list[str]) -> int:
    """Run one partition. Exit code 3 is a success: it is published, and some rows need attention."""
    command = ["enrich", *inputs, "-o", output, "--checkpoint", checkpoint, "--job", job, "--quiet"]
    code = subprocess.run([*command, "--partition", f"{part}/{parts}"], check=False).returncode
    if code not in (0, 3):
        raise RuntimeError(f"part {part} of {parts} ended with {code}")
    return part


def main(scheduler: str, job: str, parts: int, output: str, inputs: list[str]) -> None:
    from dask.distributed import Client, as_completed

    checkpoint = os.environ["ENRICH_CHECKPOINT"]
    with Client(scheduler) as client:
        # Other workers run the partitions of a dead worker. Its processes may continue: if two attempts run at once, the first
        # one that publishes the partition wins.
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
