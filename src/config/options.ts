import * as z from 'zod'
import { rateLimits } from '../contract/limits.js'
import { parseDurationMs } from '../core/time.js'
import { parseListenAddress } from '../core/server-addresses.js'
import { oneOf, option, parseDuration, parseListen, parseWholeNumber, same, type CallFlag } from './option.js'
import {
  alarms,
  metrics,
  report,
  watch,
  history,
  job,
  decisions,
  defaultDecisionsPath,
  review,
} from './reporting-review-options.js'
import { input, output } from './file-options.js'
import { billing, costMax } from './billing.js'
import { stages } from './stage-options.js'

/** Where things are in a project's folder unless it is said otherwise. */
export const defaultPaths = {
  config: 'pipeline.config.json',
  checkpoint: '.enrich/checkpoint.sqlite',
  registry: '.enrich/registry.sqlite',
  serviceData: '.enrich/service',
  decisions: defaultDecisionsPath,
} as const

const duration = () =>
  z
    .string()
    .refine((text) => parseDurationMs(text) !== null, { error: 'a number and s, m, h or d, like 30d' })
const path = () => z.string().min(1)
const positive = () => z.int().positive()
export const matcherCount = () => z.int().min(0).max(64)

const checkpoint = {
  path: option({
    schema: () =>
      path().describe(
        'What remembers what was asked and answered: an SQLite file, or a PostgreSQL database that several machines share.',
      ),
    flag: {
      names: '--checkpoint <path>',
      group: 'checkpoint',
      help: 'what was asked and answered: a file, or postgres://…',
    },
    defaults: same(defaultPaths.checkpoint),
    path: 'checkpoint',
    manual:
      'A path, or `postgres://user@host/database`: see [Several machines](several-machines.md#several-machines). The ' +
      'password comes from `PGPASSWORD`, `PGPASSFILE` or `~/.pgpass`.',
  }),
  maxAge: option({
    schema: () => duration().describe('Ask again when an answer is older than this.'),
    flag: {
      names: '--max-age <duration>',
      group: 'asking',
      help: 'ask again when an answer is older, like 30d',
      parse: parseDuration,
    },
    manual: 'A number and `s`, `m`, `h` or `d`. Without it, an answer is kept for good.',
    example: '365d',
  }),
}

const lookup = {
  identifiers: option({
    ...oneOf(
      ['first', 'context'],
      'How identifiers are asked: in the name, which is judged by them, or as context.',
    ),
    defaults: { hosted: 'context', embedded: 'first' },
    manual:
      '`first` is for services that answer identifiers exactly, as `enrich serve` does. See ' +
      '[Identifiers](inputs-and-outputs.md#identifiers).',
  }),
}

const service = {
  baseUrl: option({
    schema: () => z.string().min(1).describe('Of a hosted service; the embedded one if left out.'),
    flag: { names: '--base-url <url>', group: 'service', help: 'of a hosted service' },
    variable: 'ENRICH_BASE_URL',
    unset: 'the embedded service',
    meaning: 'The address of a hosted service.',
    manual: 'https, or http to this machine.',
    example: 'http://127.0.0.1:8787',
  }),
  registry: option({
    schema: () => path().describe('The registry that the embedded service answers from.'),
    flag: { names: '--registry <path>', group: 'service', help: 'what the embedded service answers from' },
    path: 'registry',
    unset: `${defaultPaths.registry} if it exists`,
    manual: 'Where there is none, the small one that ships with the package answers.',
    example: defaultPaths.registry,
  }),
  matchers: option({
    schema: () => matcherCount().describe('Threads in which the embedded service matches names.'),
    unset: 'one less than there are cores, 8 at most',
    manual: 'They start when there is work for them; `0`: names are matched beside everything else.',
    example: 2,
  }),
}

const budget = {
  lookupsMax: option({
    schema: () => z.int().min(0).describe('Submit no more than this many lookups.'),
    flag: {
      names: '--max-lookups <n>',
      group: 'asking',
      help: 'stop before submitting more than n; the same command again has a new budget',
      parse: parseWholeNumber,
    },
    manual:
      'Rows that ask by a domain in place of a name count too; what stages ask has budgets of its own. ' +
      'Interrupted and resumed, the same input goes on counting; once the number is reached, the same command ' +
      'starts a new budget. See [Budgets](nightly-jobs.md#budgets).',
    example: 1_000,
  }),
  costMax,
  durationMax: option({
    schema: () => duration().describe('Stop after this long.'),
    flag: {
      names: '--max-duration <duration>',
      group: 'asking',
      help: 'stop after this long, like 6h',
      parse: parseDuration,
    },
    manual: 'Like `90m` or `6h`.',
    example: '6h',
  }),
}

const submission = {
  onLost: option({
    ...oneOf(
      ['hold', 'resubmit'],
      'What to do with a submission whose answer was lost: it may have been billed.',
    ),
    flag: {
      names: '--resubmit-uncertain',
      group: 'asking',
      help: 'submit again what may have been billed already',
      sets: 'resubmit',
    },
    defaults: same('hold'),
    manual: 'The flag is `resubmit`: ask again.',
  }),
  onServerError: option({
    ...oneOf(['hold', 'resubmit'], 'What to do after HTTP 500 to a submission: it may have been billed.'),
    defaults: same('hold'),
    manual: '`resubmit` only if you know that the service creates nothing when it says 500.',
  }),
}

/** A hosted service states its limits; the embedded one has no budget to hold. */
const pace = {
  submitPerMinute: option({
    schema: () => positive().max(1_000_000).describe('Submissions a window.'),
    defaults: { hosted: rateLimits.submissionsPerMinute, embedded: null },
  }),
  pollPerMinute: option({
    schema: () => positive().max(1_000_000).describe('Polls a window.'),
    defaults: { hosted: rateLimits.pollsPerMinute, embedded: null },
  }),
  windowSeconds: option({
    schema: () => z.number().positive().max(3600).describe('Length of the window.'),
    meaning: 'Length of the window that both limits hold for.',
    defaults: same(rateLimits.windowSeconds),
  }),
  inFlightRunsMax: option({
    schema: () => positive().max(100_000).describe('Runs waited for at one time.'),
    defaults: { hosted: 2_000, embedded: 200 },
  }),
  submitConcurrency: option({
    schema: () => positive().max(256).describe('Submissions in flight at one time.'),
    defaults: { hosted: 16, embedded: 32 },
  }),
}

/** A hosted service takes one to five minutes a run; the embedded one answers within moments. */
const polling = {
  firstAfterSeconds: option({
    schema: () => z.number().min(0).max(3600).describe('No poll sooner after a submission.'),
    meaning: 'After a submission, its run is not polled sooner.',
    defaults: { hosted: 60, embedded: 0 },
    example: 5,
  }),
  intervalSeconds: option({
    schema: () => z.number().positive().max(3600).describe('Between two polls of one run.'),
    meaning: 'Time between two polls of one run.',
    defaults: { hosted: 10, embedded: 0.05 },
  }),
  deadlineMinutes: option({
    schema: () => z.number().positive().max(100_000).describe('Then the run is left for the next command.'),
    meaning: 'After this, a run without an answer is left for the next command.',
    defaults: same(60),
  }),
}

const webhook = {
  url: option({
    schema: () => z.string().max(2_000).describe('Where the service sends answers; empty: they are polled.'),
    flag: {
      names: '--webhook-url <url>',
      group: 'webhook',
      help: 'public https address that answers are sent to',
    },
    meaning: 'Where the service sends answers.',
    unset: 'they are polled',
    manual:
      'A public https address (http to this machine, where the service is on it too), see ' +
      '[Webhooks](webhooks.md#webhooks).',
    example: '',
  }),
  listen: option({
    schema: () =>
      z
        .string()
        .refine((text) => text === '' || parseListenAddress(text) !== null, {
          error: 'host:port is needed, like 127.0.0.1:8788',
        })
        .describe('Where this machine takes them, behind that URL; empty: a standing receiver does.'),
    flag: {
      names: '--webhook-listen <host:port>',
      group: 'webhook',
      help: 'where they are taken, behind that address',
      parse: parseListen,
    },
    meaning: 'Where the run itself takes what is sent to that address.',
    unset: 'by enrich receive',
    example: '',
  }),
}

/**
 * Every key of pipeline.config.json. From this table come the flags, what is merged, the settings, the JSON Schema,
 * the example and the manual. The API key has no place here: files are copied and committed.
 */
export const options = {
  $schema: option({
    schema: () => z.string().describe('Where this schema lives, for editors.'),
    meaning: 'Where the JSON Schema of the file is, for editors.',
    example: './node_modules/enrich/dist/config.schema.json',
  }),
  input,
  output,
  stages,
  checkpoint,
  decisions,
  review,
  lookup,
  service,
  budget,
  billing,
  submission,
  limits: pace,
  polling,
  webhook,
  job,
  history,
  alarms,
  metrics,
  report,
  watch,
}

/** Flags of one call, which are no keys of the file. */
export const callFlags: readonly CallFlag[] = [
  {
    names: '-c, --config <path>',
    group: 'config',
    help: 'the config file',
    unset: `${defaultPaths.config} if it exists`,
  },
  {
    names: '--accept-rollback',
    group: 'run',
    help: 'go on although the checkpoint is older than its head says, or a copy: what was lost may be billed again',
    manual:
      'See [A checkpoint that was lost, copied or damaged](nightly-jobs.md#a-checkpoint-that-was-lost-copied-or-damaged).',
  },
  {
    names: '--json',
    group: 'run',
    help: 'progress, errors and summary as JSON lines on standard output',
    manual: 'See [For programs](#for-programs---json).',
  },
  { names: '--quiet', group: 'run', help: 'nothing but errors' },
  {
    names: '--log-level <level>',
    group: 'run',
    help: 'how much is told on standard error',
    choices: ['error', 'warn', 'info', 'debug'],
    default: 'info',
  },
]

/** Variables of the environment: a line for `--help`, and what the manual says beyond it. */
export const environmentVariables = {
  ENRICH_API_KEY: {
    help: 'the key of a hosted service; there is no flag for it',
    manual: 'Nor is there a config key: files are committed and arguments are listed.',
  },
  ENRICH_API_KEY_FILE: {
    help: 'a file that holds that key, instead',
    manual: 'It holds the key alone, and is read where `ENRICH_API_KEY` is not set.',
  },
  ENRICH_BASE_URL: { help: 'the address of a hosted service, like --base-url', manual: '' },
  ENRICH_WEBHOOK_SECRET: {
    help: 'what the service signs webhooks with (whsec_…)',
    manual:
      "It is in the service's settings; several, separated by spaces, while one is being replaced. No flag and no config key either.",
  },
  ENRICH_NOTIFY_URL: {
    help: 'sent a message when a run has ended, like --notify',
    manual: 'It may hold a token, and is never shown.',
  },
  ENRICH_PARTITION: { help: 'which part of the job a process has, like --partition', manual: '' },
  ENRICH_SERVE_API_KEY: { help: 'the key that callers of "enrich serve" show', manual: '' },
} as const
