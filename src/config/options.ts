import * as z from 'zod'
import { rateLimits } from '../contract/limits.js'
import {
  createChoice,
  createCountrySchema,
  createDurationSchema,
  createLimitSchema,
  createListenSchema,
  option,
  parseCountry,
  parseDuration,
  parseListen,
  parseWholeNumber,
  useForBoth,
  type CallFlag,
} from './option.js'
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
import { first, stages } from './lookup-options.js'

/** Default paths, relative to the current folder. */
export const defaultPaths = {
  config: 'pipeline.config.json',
  checkpoint: '.enrich/checkpoint.sqlite',
  registry: '.enrich/registry.sqlite',
  serviceData: '.enrich/service',
  decisions: defaultDecisionsPath,
} as const

const path = () => z.string().min(1)
const createPositiveSchema = () => z.int().positive()
const createMatcherCountSchema = () => z.int().min(0).max(64)

const checkpoint = {
  path: option({
    schema: () =>
      path().describe(
        'The checkpoint, which stores all lookups and answers: an SQLite file, or a PostgreSQL database.',
      ),
    flag: {
      names: '--checkpoint <path>',
      group: 'checkpoint',
      help: 'store of lookups and answers: a file, or postgres://…',
    },
    defaults: useForBoth(defaultPaths.checkpoint),
    path: 'checkpoint',
    manual:
      'A path, or `postgres://user@host/database`; see [Several machines](docs/manual/several-machines.md).',
  }),
  maxAge: option({
    schema: () =>
      createDurationSchema().describe('Submit a lookup again when its answer is older than this.'),
    flag: {
      names: '--max-age <duration>',
      group: 'asking',
      help: 'submit a lookup again when its answer is older than this, like 30d',
      parse: parseDuration,
    },
    manual: 'A number and `s`, `m`, `h` or `d`.',
    unset: 'none; answers are kept permanently',
    example: '365d',
  }),
}

const lookup = {
  country: option({
    schema: () => createCountrySchema().describe('The country of rows without one, as an ISO 3166-1 code.'),
    flag: {
      names: '--country <code>',
      group: 'input',
      help: 'country of rows without one, like DE',
      parse: parseCountry,
    },
    unset: 'none',
    meaning: 'The country of rows without one, as an ISO 3166-1 code.',
    manual: 'See [Countries and places](docs/manual/your-own-list.md#countries-and-places).',
    example: 'DE',
  }),
  identifiers: option({
    ...createChoice(
      ['first', 'context'],
      'How to send identifiers: in the text of the name, or in the context.',
    ),
    defaults: { hosted: 'context', embedded: 'first' },
    manual:
      '`first` is for services that resolve identifiers exactly, like `enrich serve`. See ' +
      '[Identifiers](docs/manual/your-own-list.md#identifiers).',
  }),
}

const service = {
  baseUrl: option({
    schema: () =>
      z.string().min(1).describe('The URL of a hosted service. Defaults to the embedded service.'),
    flag: { names: '--base-url <url>', group: 'service', help: 'URL of a hosted service' },
    variable: 'ENRICH_BASE_URL',
    unset: 'the embedded service',
    meaning: 'The URL of a hosted service.',
    manual: 'https, or http to this machine.',
    example: 'http://127.0.0.1:8787',
  }),
  registry: option({
    schema: () => path().describe('The registry of the embedded service.'),
    flag: { names: '--registry <path>', group: 'service', help: 'registry of the embedded service' },
    path: 'registry',
    unset: `${defaultPaths.registry} if it exists`,
    manual: 'Without one, the embedded service uses the demo registry.',
    example: defaultPaths.registry,
  }),
  matchers: option({
    schema: () =>
      createMatcherCountSchema().describe(
        'The number of threads in which the embedded service matches names.',
      ),
    unset: 'one for each core, at most 8',
    manual: 'With `0`, the main thread matches names.',
    example: 2,
  }),
}

const budget = {
  lookupsMax: option({
    schema: () => z.int().min(0).describe('Submit at most this many lookups.'),
    flag: {
      names: '--max-lookups <n>',
      group: 'asking',
      help: 'submit at most n lookups for the job; once they are used up, the next run has a new budget',
      parse: parseWholeNumber,
    },
    manual:
      'Includes lookups by domain; each stage has a separate budget. The budget belongs to the job: an interrupted run ' +
      'leaves the rest to the next one. After a run that used it up, the next run has a new budget. The partitions of a ' +
      'job share one budget. See [Budgets](docs/manual/money-and-limits.md#budgets).',
    example: 1_000,
  }),
  costMax,
  durationMax: option({
    schema: () => createDurationSchema().describe('Stop the run after this time.'),
    flag: {
      names: '--max-duration <duration>',
      group: 'asking',
      help: 'stop the run after this time, like 6h',
      parse: parseDuration,
    },
    manual: 'A duration like `90m` or `6h`.',
    example: '6h',
  }),
}

const submission = {
  onLost: option({
    ...createChoice(
      ['hold', 'resubmit'],
      'What to do with a submission whose response was lost and that may have been billed.',
    ),
    flag: {
      names: '--resubmit-uncertain',
      group: 'asking',
      help: 'submit lookups again that may have been billed already',
      sets: 'resubmit',
    },
    defaults: useForBoth('hold'),
    manual: 'The flag sets `resubmit`.',
  }),
  onServerError: option({
    ...createChoice(
      ['hold', 'resubmit'],
      'What to do after a submission got HTTP 500 and may have been billed.',
    ),
    defaults: useForBoth('hold'),
    manual: 'Set `resubmit` only if you know that the service creates nothing when it returns 500.',
  }),
}

/** A hosted service documents its limits; the embedded one has none. */
const pace = {
  submitPerMinute: option({
    schema: () => createLimitSchema('submissions'),
    defaults: { hosted: rateLimits.submissionsPerMinute, embedded: null },
  }),
  pollPerMinute: option({
    schema: () => createLimitSchema('polls'),
    defaults: { hosted: rateLimits.pollsPerMinute, embedded: null },
  }),
  windowSeconds: option({
    schema: () =>
      z
        .number()
        .positive()
        .max(3600)
        .describe('The length of the window of these limits and of those of stages, in seconds.'),
    defaults: useForBoth(rateLimits.windowSeconds),
  }),
  inFlightRunsMax: option({
    schema: () =>
      createPositiveSchema().max(100_000).describe('Submitted lookups without an answer, at once.'),
    defaults: { hosted: 2_000, embedded: 500 },
  }),
  submitConcurrency: option({
    schema: () => createPositiveSchema().max(256).describe('Submission requests in flight at once.'),
    defaults: { hosted: 16, embedded: 128 },
  }),
}

/** A hosted service takes one to five minutes for an answer; the embedded one answers at once. */
const polling = {
  firstAfterSeconds: option({
    schema: () =>
      z
        .number()
        .min(0)
        .max(3600)
        .describe('Time between a submission and its first poll: that of a short run.'),
    defaults: { hosted: 60, embedded: 0 },
    example: 5,
  }),
  intervalSeconds: option({
    schema: () => z.number().positive().max(3600).describe('Time between two polls of the same lookup.'),
    defaults: { hosted: 10, embedded: 0.05 },
  }),
  deadlineMinutes: option({
    schema: () =>
      z
        .number()
        .positive()
        .max(100_000)
        .describe('Stop polling a lookup after this time; the next command continues.'),
    defaults: useForBoth(60),
  }),
}

const webhook = {
  url: option({
    schema: () =>
      z
        .string()
        .max(2_000)
        .describe('The URL to which the service sends answers. Empty: answers are polled.'),
    flag: {
      names: '--webhook-url <url>',
      group: 'webhook',
      help: 'public https URL to which the service sends answers',
    },
    meaning: 'The URL to which the service sends answers.',
    unset: 'polling',
    manual:
      'Public https; or http to this machine if the service runs on it too. See [Webhooks](docs/manual/money-and-limits.md#webhooks).',
    example: '',
  }),
  listen: option({
    schema: () =>
      createListenSchema('host:port is needed, like 127.0.0.1:8788').describe(
        'The address on which the run receives webhooks. Empty: `enrich receive` receives them.',
      ),
    flag: {
      names: '--webhook-listen <host:port>',
      group: 'webhook',
      help: 'address on which the run receives webhooks',
      parse: parseListen,
    },
    meaning: 'The address on which the run receives webhooks.',
    unset: 'enrich receive receives them',
    example: '',
  }),
}

/**
 * Every key of pipeline.config.json. The flags, the settings, the JSON Schema, the example and the manual are generated
 * from this table. It has no API key, because config files are copied and committed.
 */
export const options = {
  $schema: option({
    schema: () => z.string().describe('The path of the JSON Schema of this file, for editors.'),
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
  first,
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

/** Flags without a config key. */
export const callFlags: readonly CallFlag[] = [
  {
    names: '-c, --config <path>',
    group: 'config',
    help: 'config file',
    unset: `${defaultPaths.config} if it exists`,
  },
  {
    names: '--accept-rollback',
    group: 'run',
    help: 'continue with an older or copied checkpoint; lost lookups may be billed again',
    manual:
      'See [A checkpoint that was lost, copied or damaged](docs/manual/resuming.md#a-checkpoint-that-was-lost-copied-or-damaged).',
  },
  {
    names: '--json',
    group: 'run',
    help: 'write progress, errors and summary as JSON lines to standard output',
    manual: 'See [For programs](docs/reference/scripting.md#json-events).',
  },
  { names: '--quiet', group: 'run', help: 'print only errors and alarms' },
  {
    names: '--log-level <level>',
    group: 'run',
    help: 'verbosity of standard error',
    choices: ['error', 'warn', 'info', 'debug'],
    default: 'info',
  },
  {
    names: '--help-all',
    group: 'run',
    help: 'show all flags, environment variables and exit codes',
  },
]
