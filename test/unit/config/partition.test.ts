import { describe, expect, test } from 'vitest'
import { parsePartition, resolvePartition } from '../../../src/config/partition.js'
import { UserError } from '../../../src/core/errors.js'

const slurm = (id: number, count: number, least: number, most = least + count - 1) => ({
  SLURM_ARRAY_TASK_ID: String(id),
  SLURM_ARRAY_TASK_COUNT: String(count),
  SLURM_ARRAY_TASK_MIN: String(least),
  SLURM_ARRAY_TASK_MAX: String(most),
})

function refusal(asked: string, environment: Record<string, string>): [string, string] {
  try {
    resolvePartition(asked, environment)
  } catch (error) {
    if (error instanceof UserError) return [error.code, `${error.message} | ${error.hint ?? ''}`]
    throw error
  }
  throw new Error('it was taken')
}

describe('a part', () => {
  test.each([
    ['3/64', {}, 3, 64],
    ['1/1', {}, 1, 1],
    ['/64', { JOB_COMPLETION_INDEX: '0' }, 1, 64],
    ['/64', { JOB_COMPLETION_INDEX: '63' }, 64, 64],
    ['/4', slurm(4, 4, 1), 4, 4],
    ['/4', slurm(0, 4, 0), 1, 4],
    ['auto', slurm(7, 4, 5), 3, 4],
    // Tasks that are run once more: what is passed stands.
    ['6/64', slurm(5, 2, 5, 7), 6, 64],
    ['3/64', { JOB_COMPLETION_INDEX: '2' }, 3, 64],
  ])('%s with %j is %i of %i', (asked, environment, index, count) => {
    expect(resolvePartition(asked, environment)).toEqual({ index, count })
  })

  test('is none where none is asked for, whatever an engine says', () => {
    expect(resolvePartition(undefined, { JOB_COMPLETION_INDEX: '3', ...slurm(1, 4, 1) })).toBeNull()
  })

  test.each([
    ['0/64', {}, 'PARTITION_INVALID', 'no partition 0 of 64'],
    ['65/64', {}, 'PARTITION_INVALID', 'no partition 65 of 64'],
    ['1/0', {}, 'PARTITION_INVALID', 'not 0'],
    ['1/100001', {}, 'PARTITION_INVALID', 'not 100001'],
    ['/64', { JOB_COMPLETION_INDEX: '64' }, 'PARTITION_INVALID', 'no partition 65 of 64'],
    ['/64', { JOB_COMPLETION_INDEX: 'x' }, 'PARTITION_INVALID', 'JOB_COMPLETION_INDEX is not a whole number'],
    ['/64', {}, 'PARTITION_UNCLEAR', 'the number of this process among the 64 partitions is missing'],
    [
      'auto',
      { JOB_COMPLETION_INDEX: '3' },
      'PARTITION_UNCLEAR',
      'the number of partitions of the job is missing',
    ],
    ['3/64', { JOB_COMPLETION_INDEX: '3' }, 'PARTITION_UNCLEAR', 'means partition 4'],
    ['/4', { JOB_COMPLETION_INDEX: '0', ...slurm(2, 4, 1) }, 'PARTITION_UNCLEAR', 'means partition 2'],
    ['3/4', slurm(2, 4, 1), 'PARTITION_UNCLEAR', 'means partition 2'],
    ['/64', slurm(5, 2, 5, 7), 'PARTITION_UNCLEAR', '"$SLURM_ARRAY_TASK_ID/64"'],
    ['/2', slurm(7, 2, 5, 7), 'PARTITION_UNCLEAR', '2 tasks from 5 to 7'],
    // Of some tasks that are run once more, `auto` knows neither the first nor how many the job has.
    ['auto', slurm(4, 2, 2, 4), 'PARTITION_UNCLEAR', '"$SLURM_ARRAY_TASK_ID/N"'],
    ['auto', slurm(3, 4, 1, 7), 'PARTITION_UNCLEAR', '4 tasks from 1 to 7, and is not the whole job'],
    ['/2', { SLURM_ARRAY_TASK_ID: '1' }, 'PARTITION_UNCLEAR', '_COUNT or _MIN is not'],
  ])('%s with %j is refused', (asked, environment, code, words) => {
    const [thrown, said] = refusal(asked, environment)
    expect(thrown).toBe(code)
    expect(said).toContain(words)
  })

  test.each(['3', '3/', '3/64/2', '-1/4', '1.5/4', 'a/b', '3/N', '99999999999/2'])(
    '%s cannot be read',
    (text) => {
      expect(parsePartition(text)).toHaveProperty('fault')
    },
  )
})
