import { UserError } from '../core/errors.js'
import { partitionCountMax, type Partition } from '../pipeline/lookups/partition.js'
import type { Parsed } from './option.js'

type Environment = Readonly<Record<string, string | undefined>>

/** `I/N`, `/N` (I comes from the environment), or `auto` (both do). */
const written = /^(?:auto|(\d{1,9})?\/(\d{1,9}))$/

/** Of the flag and the key: whether it can be read at all. */
export function parsePartition(text: string): Parsed<string> {
  const asked = text.trim()
  return written.test(asked)
    ? { value: asked }
    : { fault: 'It must be I/N, like 3/64, or /N or auto where the engine that starts it tells I.' }
}

/**
 * Which part a process has: what is asked for, with what Kubernetes or Slurm say in the environment. They are read
 * where a partition is asked for, and never by themselves: an array of tasks may as well have a file each. Throws
 * PARTITION_INVALID where there is no such part, and PARTITION_UNCLEAR where nothing says which, or two say different
 * things.
 */
export function resolvePartition(asked: string | undefined, environment: Environment): Partition | null {
  if (asked === undefined || asked === '') return null
  const [, indexText, countText] = written.exec(asked) ?? throwInvalid(asked)
  const index = indexText === undefined ? null : Number(indexText)
  const stated = countText === undefined ? null : Number(countText)
  const slurm = slurmTask(environment)
  const count = stated ?? slurm?.count ?? throwUncounted()
  if (count < 1 || count > partitionCountMax) {
    throw new UserError('PARTITION_INVALID', `a job has 1 to ${partitionCountMax} parts, not ${count}`, {
      hint: 'pass --partition I/N, like 3/64',
    })
  }
  const told = [
    kubernetesIndex(environment),
    slurmIndex(slurm, { count, isCountStated: stated !== null }, index),
  ].filter((one) => one !== null)
  const chosen = agreed(index === null ? told : [{ index, origin: `--partition ${asked}` }, ...told], count)
  if (chosen < 1 || chosen > count) {
    throw new UserError('PARTITION_INVALID', `there is no part ${chosen} of ${count}`, {
      hint: 'parts are counted from 1: --partition 1/64 is the first of 64, --partition 64/64 the last',
    })
  }
  return { index: chosen, count }
}

interface ToldIndex {
  /** From 1. */
  readonly index: number
  readonly origin: string
}

function agreed(told: readonly ToldIndex[], count: number): number {
  const [first, ...others] = told
  if (first === undefined) {
    throw new UserError('PARTITION_UNCLEAR', `nothing says which of the ${count} parts this process has`, {
      hint: `pass --partition I/${count}; else I comes from JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID, and neither is set`,
    })
  }
  const other = others.find(({ index }) => index !== first.index)
  if (other === undefined) return first.index
  throw new UserError(
    'PARTITION_UNCLEAR',
    `${first.origin} says part ${first.index} of ${count}, and ${other.origin} says part ${other.index}`,
    { hint: 'let them agree, or unset the variable that is not meant' },
  )
}

/** Kubernetes counts from 0. */
function kubernetesIndex(environment: Environment): ToldIndex | null {
  const text = environment['JOB_COMPLETION_INDEX'] ?? ''
  if (text === '') return null
  return { index: wholeNumber('JOB_COMPLETION_INDEX', text) + 1, origin: `JOB_COMPLETION_INDEX=${text}` }
}

interface SlurmTask {
  readonly id: number
  readonly count: number
  readonly least: number
  readonly most: number
}

function slurmTask(environment: Environment): SlurmTask | null {
  const text = (name: string) => environment[`SLURM_ARRAY_TASK_${name}`] ?? ''
  const number = (name: string) => wholeNumber(`SLURM_ARRAY_TASK_${name}`, text(name))
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
 * By its place in the whole array. Of an array that is not the whole job, such as the tasks that are run once more,
 * nothing says whether the first one was 0 or 1: then I has to be passed.
 */
function slurmIndex(
  task: SlurmTask | null,
  { count, isCountStated }: { count: number; isCountStated: boolean },
  index: number | null,
): ToldIndex | null {
  if (task === null) return null
  const isWhole = task.count === count && task.most - task.least + 1 === count
  if (isWhole)
    return {
      index: task.id - task.least + 1,
      origin: `SLURM_ARRAY_TASK_ID=${task.id} of an array from ${task.least}`,
    }
  if (index !== null) return null
  // With `auto` the count is that of this array, and says nothing of the job.
  const parts = isCountStated ? String(count) : 'N'
  throw new UserError(
    'PARTITION_UNCLEAR',
    `the array of Slurm has ${task.count} tasks from ${task.least} to ${task.most}, ` +
      (isCountStated ? `and the job has ${count} parts` : 'and is not the whole job'),
    {
      hint:
        `to run some tasks once more, pass --partition "$SLURM_ARRAY_TASK_ID/${parts}" where the array began at 1, or ` +
        `"$((SLURM_ARRAY_TASK_ID + 1))/${parts}" where it began at 0` +
        (isCountStated ? '' : '; N is the number of parts of the job'),
    },
  )
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UserError('PARTITION_INVALID', `${name} is no whole number`, {
    hint: `unset ${name}, or pass --partition I/N`,
  })
}

function throwInvalid(asked: string): never {
  throw new UserError('PARTITION_INVALID', `${JSON.stringify(asked)} is no part of a job`, {
    hint: 'pass --partition I/N, like 3/64',
  })
}

function throwUncounted(): never {
  throw new UserError('PARTITION_UNCLEAR', 'nothing says how many parts the job has', {
    hint: 'pass --partition I/N or /N, or set ENRICH_PARTITION; of engines, Slurm alone tells N (SLURM_ARRAY_TASK_COUNT)',
  })
}
