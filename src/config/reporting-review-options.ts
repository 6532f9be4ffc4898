import * as z from 'zod'
import { parseListenAddress } from '../core/server-addresses.js'
import { option, parseListen, oneOf, same } from './option.js'
import { notifyFormats, notifyTimes } from '../pipeline/figures/notify-message.js'
import { parsePartition } from './partition.js'

/** What the report of a run shows besides what it always does. */
export const report = {
  by: option({
    schema: () => z.string().min(1).describe('A column by whose values the report counts matched rows.'),
    flag: {
      names: '--report-by <column>',
      group: 'reporting',
      help: "a column of the input by whose values the report counts what's matched",
    },
    meaning: 'A column of the input: the report counts matched rows for each of its values.',
    manual: 'Few values are of use: a source, a team, a segment. The largest groups are kept.',
    example: 'owner',
  }),
}

/** Any free port of this machine. */
const watchDefault = '127.0.0.1:0'

export const watch = {
  listen: option({
    schema: () =>
      z
        .string()
        .refine((text) => text === '' || parseListenAddress(text) !== null, {
          error: 'host:port, like 127.0.0.1:8790',
        })
        .describe('Where the live page of a run is served, like 127.0.0.1:8790; port 0 is any free one.'),
    flag: {
      names: '--watch [host:port]',
      group: 'reporting',
      help: 'serve a live page while the run goes on; at a free port of this machine, or where it is said',
      preset: watchDefault,
      parse: parseListen,
    },
    unset: 'no page',
    meaning: 'Where the live page of a run is served.',
    manual:
      'Behind the inputs, or as `--watch=HOST:PORT`. The address is printed. Beyond this machine, everybody who reaches it ' +
      'sees names and counts. See [The live page](report.md#the-live-page).',
    example: '',
  }),
}

const text = () => z.string().min(1).max(2_000)

/** What makes a run fail though its output is written, and who hears of it. */
export const alarms = {
  failOn: option({
    schema: () => text().describe('Conditions on what the run came to, like `lost_match>5%, failed>0`.'),
    flag: {
      names: '--fail-on <conditions>',
      group: 'reporting',
      help: 'exit code 6 where one is met, like "lost_match>5%, failed>0"; the output is written',
    },
    manual:
      'Where one is met, the exit code is 6; the output is written all the same. See [Alarms](alarms.md).',
    example: 'failed>5%',
  }),
  notify: option({
    schema: () => z.string().max(2_000).describe('Where a message is sent to when the run has ended.'),
    flag: { names: '--notify <url>', group: 'reporting', help: 'sent a message when the run has ended' },
    variable: 'ENRICH_NOTIFY_URL',
    unset: 'nobody',
    manual:
      'https, or http to this machine. It may hold a token: it is never shown. See [Alarms](alarms.md#notify).',
    example: '',
  }),
  notifyFormat: option({
    ...oneOf(notifyFormats, 'The form of that message.'),
    defaults: same('json'),
  }),
  notifyWhen: option({
    ...oneOf(
      notifyTimes,
      'When it is sent: after every run, or after those that end with another code than 0.',
    ),
    defaults: same('always'),
  }),
}

/** The run's figures, for Prometheus. */
export const metrics = {
  file: option({
    schema: () =>
      z.string().min(1).describe("Where the run's figures are written in Prometheus' text format."),
    flag: {
      names: '--metrics-file <path>',
      group: 'reporting',
      help: "the run's figures for Prometheus, as the node exporter reads them",
    },
    path: 'output',
    manual: 'Its name ends in `.prom`. See [Alarms](alarms.md#metrics).',
    example: 'enrich.prom',
  }),
}

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

/** Used where it is there, and made by those who decide. */
export const defaultDecisionsPath = 'enrich.decisions.csv'

export const decisions = {
  path: option({
    schema: () =>
      z.string().describe("The file of people's decisions, which teams commit; empty: the one by its name."),
    meaning: "The file of people's decisions, which teams commit.",
    flag: { names: '--decisions <path>', group: 'decisions', help: "people's decisions, which are honoured" },
    path: 'file',
    unset: `${defaultDecisionsPath} if it exists`,
    manual:
      'What a person decided of a lookup is neither asked nor billed again. A file that is named has to be there. ' +
      'See [Review](review.md).',
    example: '',
  }),
}

export const review = {
  threshold: option({
    schema: () => z.int().min(0).max(100).describe('Matches below this confidence are doubtful.'),
    meaning: 'A match whose confidence is below this is doubtful: it is put before reviewers.',
    defaults: same(80),
  }),
  reviewer: option({
    schema: () =>
      z
        .string()
        .max(200)
        .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'text of one line' })
        .describe('Who decides; empty: the system user.'),
    flag: { names: '--reviewer <name>', group: 'review', help: 'who decides' },
    meaning: 'The name that decisions made here bear.',
    unset: 'the name of the system user',
    example: '',
  }),
  listen: option({
    schema: () =>
      z
        .string()
        .refine((text) => parseListenAddress(text) !== null, { error: 'host:port, like 127.0.0.1:8791' })
        .describe('Where the review page is served; port 0 is any free one.'),
    flag: {
      names: '--listen <host:port>',
      group: 'review',
      help: 'where the review page is served',
      parse: parseListen,
    },
    defaults: same('127.0.0.1:0'),
  }),
}
