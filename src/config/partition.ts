import { UserError } from '../core/errors.js'
import type { RunOrder } from '../pipeline/run.js'
import type { Parsed } from './option.js'

type Environment = Readonly<Record<string, string | undefined>>

/** `I/N`, `/N` (I comes from the environment), or `auto` (both do). */
const written = /^(?:auto|(\d{1,9})?\/(\d{1,9}))$/

type Partition = NonNullable<RunOrder['source']['part']>['partition']

/** More parts than any workflow engine starts for one job. */
const partitionCountMax = 100_000

/** Checks the syntax of the flag and the key. */
export function parsePartition(text: string): Parsed<string> {
  const asked = text.trim()
  return written.test(asked)
    ? { value: asked }
    : { fault: 'It must be I/N, like 3/64; or /N or auto if Kubernetes or Slurm sets I.' }
}

/**
 * Determines the partition of this process from the setting and the variables of Kubernetes or Slurm. The variables are
 * ignored without the setting, because tasks may also have one file each. Throws PARTITION_INVALID if there is no such
 * partition, and PARTITION_UNCLEAR if the partition is missing or contradictory.
 */
export function resolvePartition(asked: string | undefined, environment: Environment): Partition | null {
  if (asked === undefined || asked === '') return null
  const [, indexText, countText] = written.exec(asked) ?? throwInvalid(asked)
  const index = indexText === undefined ? null : Number(indexText)
  const stated = countText === undefined ? null : Number(countText)
  const slurm = readSlurmTask(environment)
  const count = stated ?? slurm?.count ?? throwCountMissing()
  if (count < 1 || count > partitionCountMax) {
    throw new UserError('PARTITION_INVALID', `a job has 1 to ${partitionCountMax} partitions, not ${count}`, {
      hint: 'pass --partition I/N, like 3/64',
    })
  }
  const told = [
    readKubernetesIndex(environment),
    readSlurmIndex(slurm, { count, isCountStated: stated !== null }, index),
  ].filter((one) => one !== null)
  const chosen = chooseIndex(
    index === null ? told : [{ index, origin: `--partition ${asked}` }, ...told],
    count,
  )
  if (chosen < 1 || chosen > count) {
    throw new UserError('PARTITION_INVALID', `there is no partition ${chosen} of ${count}`, {
      hint: 'partitions are counted from 1: --partition 1/64 is the first of 64, --partition 64/64 the last',
    })
  }
  return { index: chosen, count }
}

interface StatedIndex {
  /** From 1. */
  readonly index: number
  readonly origin: string
}

function chooseIndex(told: readonly StatedIndex[], count: number): number {
  const [first, ...others] = told
  if (first === undefined) {
    throw new UserError(
      'PARTITION_UNCLEAR',
      `the number of this process among the ${count} partitions is missing`,
      {
        hint: `pass --partition I/${count}, or set JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID`,
      },
    )
  }
  const other = others.find(({ index }) => index !== first.index)
  if (other === undefined) return first.index
  throw new UserError(
    'PARTITION_UNCLEAR',
    `${first.origin} means partition ${first.index} of ${count}, and ${other.origin} means partition ${other.index}`,
    { hint: 'unset the variable that is wrong' },
  )
}

/** Kubernetes counts from 0. */
function readKubernetesIndex(environment: Environment): StatedIndex | null {
  const text = environment['JOB_COMPLETION_INDEX'] ?? ''
  if (text === '') return null
  return { index: parseIndex('JOB_COMPLETION_INDEX', text) + 1, origin: `JOB_COMPLETION_INDEX=${text}` }
}

interface SlurmTask {
  readonly id: number
  readonly count: number
  readonly least: number
  readonly most: number
}

function readSlurmTask(environment: Environment): SlurmTask | null {
  const text = (name: string) => environment[`SLURM_ARRAY_TASK_${name}`] ?? ''
  const number = (name: string) => parseIndex(`SLURM_ARRAY_TASK_${name}`, text(name))
  if (text('ID') === '') return null
  if (text('COUNT') === '' || text('MIN') === '') {
    throw new UserError('PARTITION_UNCLEAR', 'SLURM_ARRAY_TASK_ID is set, and _COUNT or _MIN is not', {
      hint: 'pass --partition I/N, and unset SLURM_ARRAY_TASK_ID',
    })
  }
  const least = number('MIN')
  const count = number('COUNT')
  return { id: number('ID'), count, least, most: text('MAX') === '' ? least + count - 1 : number('MAX') }
}

/**
 * Returns the position in the whole array. If the array is only a part of the job, like repeated tasks, its first index is
 * unknown, and I must be passed.
 */
function readSlurmIndex(
  task: SlurmTask | null,
  { count, isCountStated }: { count: number; isCountStated: boolean },
  index: number | null,
): StatedIndex | null {
  if (task === null) return null
  const isWhole = task.count === count && task.most - task.least + 1 === count
  if (isWhole)
    return {
      index: task.id - task.least + 1,
      origin: `SLURM_ARRAY_TASK_ID=${task.id} of an array from ${task.least}`,
    }
  if (index !== null) return null
  // With `auto`, the count is that of this array, not of the job.
  const parts = isCountStated ? String(count) : 'N'
  throw new UserError(
    'PARTITION_UNCLEAR',
    `the array of Slurm has ${task.count} tasks from ${task.least} to ${task.most}, ` +
      (isCountStated ? `and the job has ${count} partitions` : 'and is not the whole job'),
    {
      hint:
        `to run some tasks again, pass --partition "$SLURM_ARRAY_TASK_ID/${parts}" where the array began at 1, or ` +
        `"$((SLURM_ARRAY_TASK_ID + 1))/${parts}" where it began at 0` +
        (isCountStated ? '' : '; N is the number of partitions of the job'),
    },
  )
}

function parseIndex(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UserError('PARTITION_INVALID', `${name} is not a whole number`, {
    hint: `unset ${name}, or pass --partition I/N`,
  })
}

function throwInvalid(asked: string): never {
  throw new UserError('PARTITION_INVALID', `${JSON.stringify(asked)} is not a partition`, {
    hint: 'pass --partition I/N, like 3/64',
  })
}

function throwCountMissing(): never {
  throw new UserError('PARTITION_UNCLEAR', 'the number of partitions of the job is missing', {
    hint: 'pass --partition I/N or /N, or set ENRICH_PARTITION; only Slurm sets N (SLURM_ARRAY_TASK_COUNT)',
  })
}
