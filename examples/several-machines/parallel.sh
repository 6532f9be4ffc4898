#!/bin/sh
# Runs a partitioned job with GNU parallel, on this machine or on others, and collects the partitions.
# usage: parallel.sh JOB PARTS OUTPUT INPUT…
# ENRICH_CHECKPOINT has the URL of the checkpoint; PGPASSWORD or ~/.pgpass has its password.
set -eu
job=$1 parts=$2 output=$3
shift 3
: "${ENRICH_CHECKPOINT:?postgres://user@host:5432/database}"
extension=${output##*.}

# parallel retries after exit code 3, which means: published, and some rows need attention. The retry ends with 0.
# For other machines, add: --sshlogin host1,host2 --workdir . --env ENRICH_CHECKPOINT --env PGPASSWORD
seq "$parts" | parallel --jobs "${JOBS:-2}" --retries 3 --joblog "$output.joblog" --halt soon,fail=50% \
  enrich "$@" -o "$output" --checkpoint "$ENRICH_CHECKPOINT" --job "$job" --partition "{}/$parts" --quiet

enrich collect --checkpoint "$ENRICH_CHECKPOINT" --job "$job" -o "${output%.*}.all.$extension"
