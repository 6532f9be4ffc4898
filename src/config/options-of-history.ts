import * as z from 'zod'
import { option, same } from './option.js'
import { parsePartition } from './partition.js'

const name = () =>
  z
    .string()
    .min(1)
    .max(200)
    .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'text of one line' })

export const job = {
  name: option({
    schema: () => name().describe('Names the job: its runs are compared with each other.'),
    flag: {
      names: '--job <name>',
      group: 'reporting',
      help: 'the name of this job, whose runs are compared',
    },
    unset: 'the paths of the input',
    manual:
      'For inputs whose files are called something else every night. What `--max-lookups` counts goes on over the ' +
      'processes of one job. See [The history of runs](history.md).',
    example: 'nightly',
  }),
  partition: option({
    schema: () =>
      z
        .string()
        .refine((text) => text === '' || 'value' in parsePartition(text), { error: 'I/N, /N or auto' })
        .describe('Which part of the job a process has: I/N, /N or auto; empty: the job has no parts.'),
    flag: {
      names: '--partition <i/n>',
      group: 'reporting',
      help: 'part i of n of the job, each a process: 3/64; /64 or auto where the engine tells i',
      parse: parsePartition,
    },
    variable: 'ENRICH_PARTITION',
    unset: 'the job has no parts',
    meaning: 'Which part of the job a process has, counted from 1.',
    manual:
      'Needs `--job` and a shared checkpoint. With `/64`, I comes from `JOB_COMPLETION_INDEX` or ' +
      '`SLURM_ARRAY_TASK_ID`; with `auto`, N from `SLURM_ARRAY_TASK_COUNT` too. See [Partitions](partitions.md).',
    example: '',
  }),
}

export const history = {
  keep: option({
    schema: () => z.int().min(2).max(10_000).describe('Of each job, keep what so many runs published.'),
    defaults: same(90),
    manual:
      'Older runs stay listed, ten times as many of them, and what they published is forgotten. See ' +
      '[The history of runs](history.md).',
  }),
}
