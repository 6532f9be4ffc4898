#!/bin/sh
# Runs a job in parts as an array of Slurm, a task for each part.
# usage: sbatch --array=1-64%8 slurm-array.sh JOB OUTPUT INPUT…
# ENRICH_CHECKPOINT and ENRICH_BASE_URL go from your environment into the tasks. Secrets are better in files that only you may
# read: the password of the database in ~/.pgpass, the key of the service in the file below.
#SBATCH --job-name=enrich
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
job=$1 output=$2
shift 2
: "${ENRICH_CHECKPOINT:?postgres://user@host:5432/database}"
: "${ENRICH_API_KEY_FILE:=$HOME/.enrich-key}"
export ENRICH_API_KEY_FILE

# The part is the place of SLURM_ARRAY_TASK_ID in its array, and there are as many parts as the array has tasks. A task that is
# requeued keeps both; the whole array once more is safe, since a part that is published is not made again.
code=0
enrich "$@" -o "$output" --checkpoint "$ENRICH_CHECKPOINT" --job "$job" --partition auto --log-level warn || code=$?
# 3 is a published part with rows that need a look.
if [ "$code" = 3 ]; then code=0; fi
exit "$code"
# Then: sbatch --dependency=afterok:JOBID --wrap "enrich collect --checkpoint $ENRICH_CHECKPOINT --job JOB -o ALL"
