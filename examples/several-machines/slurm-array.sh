#!/bin/sh
# Runs a partitioned job as a Slurm array, with one task for each partition.
# usage: sbatch --array=1-64%8 slurm-array.sh JOB OUTPUT INPUT…
# Slurm passes ENRICH_CHECKPOINT and ENRICH_BASE_URL from your environment to the tasks. Keep secrets in files that only you can
# read: the password of the database in ~/.pgpass, the API key of the service in the file below.
#SBATCH --job-name=enrich
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
job=$1 output=$2
shift 2
: "${ENRICH_CHECKPOINT:?postgres://user@host:5432/database}"
: "${ENRICH_API_KEY_FILE:=$HOME/.config/enrich/key}"
export ENRICH_API_KEY_FILE

# The partition is the position of SLURM_ARRAY_TASK_ID in its array. The number of partitions is the number of tasks. A requeued
# task keeps both. You can submit the whole array again: a published partition is not written again.
code=0
enrich "$@" -o "$output" --checkpoint "$ENRICH_CHECKPOINT" --job "$job" --partition auto --log-level warn || code=$?
# Exit code 3 is a success: the partition is published, and some rows need attention.
if [ "$code" = 3 ]; then code=0; fi
exit "$code"
# Collect the partitions afterwards: sbatch --dependency=afterok:JOBID --wrap "enrich collect --checkpoint $ENRICH_CHECKPOINT --job JOB -o ALL"
