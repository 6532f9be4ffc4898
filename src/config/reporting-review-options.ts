import * as z from 'zod'
import { UserError } from '../core/errors.js'
import { Secret } from '../core/local-path.js'
import { judgeWebhookUrl } from '../core/server-addresses.js'
import { createPriceMissing } from './billing.js'
import { option, parseListen, createChoice, createListenSchema, useForBoth, type FilledOf } from './option.js'
import {
  conditionHint,
  notifyFormats,
  notifyTimes,
  parseConditions,
  type AlarmCondition,
} from '../core/alarms.js'
import { parsePartition } from './partition.js'

/** Optional contents of the report of a run. */
export const report = {
  by: option({
    schema: () =>
      z.string().min(1).describe('An input column; the report counts matched rows for each of its values.'),
    flag: {
      names: '--report-by <column>',
      group: 'reporting',
      help: 'input column by which the report groups matched rows',
    },
    meaning: 'An input column. The report counts matched rows for each of its values.',
    manual:
      'Choose a column with few values: a source, a team, a segment. The report shows the largest groups.',
    example: 'owner',
  }),
}

/** Port 0 selects a free port of this machine. */
const watchDefault = '127.0.0.1:0'

export const watch = {
  listen: option({
    schema: () =>
      createListenSchema('host:port, like 127.0.0.1:8790').describe(
        'The address of the live page of a run, like 127.0.0.1:8790. Port 0 selects a free port.',
      ),
    flag: {
      names: '--watch [host:port]',
      group: 'reporting',
      help: 'serve a live page during the run, at this address or at a free local port',
      preset: watchDefault,
      parse: parseListen,
    },
    unset: 'no page',
    meaning: 'Serve a live page during the run, at this address.',
    manual:
      'Put the flag after the inputs, or write `--watch=HOST:PORT`. See [The live page](docs/manual/nightly-jobs.md#the-live-page).',
    example: '',
  }),
}

const text = () => z.string().min(1).max(2_000)

/** Conditions that make a run fail although its output is written, and the notification at its end. */
export const alarms = {
  failOn: option({
    schema: () => text().describe('Conditions on the result of the run, like `lost_match>5%, failed>0`.'),
    flag: {
      names: '--fail-on <conditions>',
      group: 'reporting',
      help: 'end with exit code 6 if a condition is met, like "lost_match>5%, failed>0"',
    },
    manual:
      'If one is met, the run ends with exit code 6. The output is still written. See [Alarms](docs/manual/nightly-jobs.md#alarms).',
    example: 'failed>5%',
  }),
  notify: option({
    schema: () => z.string().max(2_000).describe('A URL that receives a summary when the run ends.'),
    flag: {
      names: '--notify <url>',
      group: 'reporting',
      help: 'POST a summary to this URL when the run ends',
    },
    variable: 'ENRICH_NOTIFY_URL',
    unset: 'no notification',
    manual:
      'https, or http to this machine. The URL may contain a token, so it is never printed. See [Alarms](docs/manual/nightly-jobs.md#notify).',
    example: '',
  }),
  notifyFormat: option({
    ...createChoice(notifyFormats, 'The format of that summary.'),
    defaults: useForBoth('json'),
  }),
  notifyWhen: option({
    ...createChoice(
      notifyTimes,
      'When to send it: after every run, or only after an exit code other than 0.',
    ),
    defaults: useForBoth('always'),
  }),
  notifyNames: option({
    schema: () =>
      z.boolean().describe('Whether it has the names of the first ten rows that changed, for each alarm.'),
    defaults: useForBoth(false),
  }),
}

/** The run's metrics for Prometheus. */
export const metrics = {
  file: option({
    schema: () =>
      z.string().min(1).describe('A file for the metrics of the run, in the Prometheus text format.'),
    flag: {
      names: '--metrics-file <path>',
      group: 'reporting',
      help: 'write metrics for the Prometheus node exporter to this file',
    },
    path: 'output',
    manual: 'The name must end in `.prom`. See [Metrics](docs/reference/metrics.md).',
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
    schema: () =>
      name().describe('The name of the job. Its runs are compared with each other and share one budget.'),
    flag: {
      names: '--job <name>',
      group: 'reporting',
      help: 'name of the job; its runs are compared with each other and share one budget',
    },
    unset: 'the paths of the input',
    manual:
      'Set it if the input has another file name every night. See ' +
      '[Budgets](docs/manual/money-and-limits.md#budgets) and [The history of runs](docs/manual/nightly-jobs.md#jobs-and-the-history-of-runs).',
    example: 'nightly',
  }),
  partition: option({
    schema: () =>
      z
        .string()
        .refine((text) => text === '' || 'value' in parsePartition(text), { error: 'I/N, /N or auto' })
        .describe(
          'The partition of the job that this process runs: I/N, /N or auto. Empty: the job has no partitions.',
        ),
    flag: {
      names: '--partition <i/n>',
      group: 'reporting',
      help: 'run partition i of n of the job, like 3/64; /64 or auto reads i from the job scheduler',
      parse: parsePartition,
    },
    variable: 'ENRICH_PARTITION',
    unset: 'no partitions',
    meaning: 'The partition of the job that this process runs, counted from 1.',
    manual:
      'Requires `--job` and a shared checkpoint. `/N` and `auto` read the environment. See ' +
      '[Partitions](docs/manual/several-machines.md#partitions).',
    example: '',
  }),
}

export const history = {
  keep: option({
    schema: () => z.int().min(2).max(10_000).describe('Keep the outputs of the last N runs of each job.'),
    defaults: useForBoth(90),
    manual:
      'The last 10 × N runs stay listed, the older ones without their outputs. See [The history of runs](docs/manual/nightly-jobs.md#jobs-and-the-history-of-runs).',
  }),
}

/** Used if it exists; `enrich review` creates it. */
export const defaultDecisionsPath = 'enrich.decisions.csv'

export const decisions = {
  path: option({
    schema: () => z.string().describe('The decisions file of reviewers. Empty: the default file.'),
    meaning: 'The decisions file of reviewers, which you can commit.',
    flag: {
      names: '--decisions <path>',
      group: 'decisions',
      help: 'file with the decisions of reviewers, which the run applies',
    },
    path: 'file',
    unset: `${defaultDecisionsPath} if it exists`,
    manual:
      'A decided lookup is not submitted or billed again. If you name a file, it must exist. See [Doubtful rows](docs/manual/doubtful-rows.md).',
    example: '',
  }),
}

export const review = {
  threshold: option({
    schema: () =>
      z
        .int()
        .min(0)
        .max(100)
        .describe(
          'Answers that are `matched` or `partial_match` with a confidence below this are doubtful, and go to review.',
        ),
    manual:
      'It changes neither the status nor the confidence of a row, and no lookup is submitted because of it. ' +
      'Answers without a company go to review at any threshold. See [Candidates](docs/manual/doubtful-rows.md#candidates).',
    defaults: useForBoth(80),
  }),
  reviewer: option({
    schema: () =>
      z
        .string()
        .max(200)
        .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'text of one line' })
        .describe('The name recorded with your decisions. Empty: the system user.'),
    flag: { names: '--reviewer <name>', group: 'review', help: 'name recorded with your decisions' },
    meaning: 'The name recorded with your decisions.',
    unset: 'the system user',
    example: '',
  }),
  listen: option({
    schema: () =>
      createListenSchema('host:port, like 127.0.0.1:8791', false).describe(
        'The address of the review page. Port 0 selects a free port.',
      ),
    flag: {
      names: '--listen <host:port>',
      group: 'review',
      help: 'address of the review page',
      parse: parseListen,
    },
    defaults: useForBoth('127.0.0.1:0'),
  }),
}

export interface AlarmSettings {
  readonly conditions: readonly AlarmCondition[]
  /** `null`: no notification. */
  readonly notify: NotifySettings | null
}

export interface NotifySettings {
  readonly url: Secret
  readonly format: FilledOf<typeof alarms>['notifyFormat']
  readonly when: FilledOf<typeof alarms>['notifyWhen']
  readonly hasNames: boolean
}

/** Throws FAIL_ON_INVALID, BILLING_PRICE_MISSING and NOTIFY_URL_INVALID, never with a part of the URL. */
export function resolveAlarms(given: FilledOf<typeof alarms>, knowsCost: boolean): AlarmSettings {
  const conditions = given.failOn === undefined ? [] : readConditions(given.failOn)
  if (!knowsCost && conditions.some(({ name }) => name === 'cost'))
    throw createPriceMissing('a condition of --fail-on on cost')
  return { conditions, notify: resolveNotification(given) }
}

/** Throws NOTIFY_URL_INVALID, without a part of the URL. */
export function resolveNotification(given: FilledOf<typeof alarms>): NotifySettings | null {
  const { notify, notifyFormat: format, notifyWhen: when, notifyNames: hasNames } = given
  return notify === undefined || notify === '' ? null : { url: notifyUrl(notify), format, when, hasNames }
}

function readConditions(text: string): readonly AlarmCondition[] {
  const parsed = parseConditions(text)
  if ('conditions' in parsed) return parsed.conditions
  throw new UserError('FAIL_ON_INVALID', `--fail-on: ${parsed.fault}`, { hint: conditionHint })
}

/** Rules that need no name server; the others are checked when the URL is used. */
const notifyUrlRules = { allowsLoopback: true, allowsAddresses: false, called: 'notify URL' } as const

function notifyUrl(text: string): Secret {
  const verdict = judgeWebhookUrl(text.trim(), notifyUrlRules)
  if (verdict.kind === 'allowed') return new Secret(text.trim())
  throw new UserError('NOTIFY_URL_INVALID', verdict.reason, {
    hint: 'https to a public name, or http to this machine, like https://hooks.example.com/services/…',
  })
}
