#!/bin/sh
# Runs a job in parts with GNU parallel, here or on other machines, and collects them.
# usage: parallel.sh JOB PARTS OUTPUT INPUT…   (the checkpoint's URL is in ENRICH_CHECKPOINT, its password in PGPASSWORD or ~/.pgpass)
set -eu
job=$1 parts=$2 output=$3
shift 3
: "${ENRICH_CHECKPOINT:?postgres://user@host:5432/database}"
extension=${output##*.}

# 3 is a published part with rows that need a look. Tried again, a part that is published ends with 0.
# On other machines too: --sshlogin host1,host2 --workdir . --env ENRICH_CHECKPOINT --env PGPASSWORD
seq "$parts" | parallel --jobs "${JOBS:-2}" --retries 3 --joblog "$output.joblog" --halt soon,fail=50% \
  enrich "$@" -o "$output" --checkpoint "$ENRICH_CHECKPOINT" --job "$job" --partition "{}/$parts" --quiet

enrich collect --checkpoint "$ENRICH_CHECKPOINT" --job "$job" -o "${output%.*}.all.$extension"
