import { z } from 'zod'
import { rateLimits } from '../contract/limits.js'
import { parseDurationMs } from '../core/duration.js'
import { parseListenAddress } from '../core/listen-address.js'
import { encodingNames } from '../tables/encodings/names.js'

const duration = z
  .string()
  .refine((text) => parseDurationMs(text) !== null, { error: 'a number and s, m, h or d, like 30d' })
const column = z.string().min(1)
const path = z.string().min(1)
const positive = z.int().positive()

/**
 * pipeline.config.json. Every key may be left out; unknown keys are errors, so that a typing mistake cannot
 * pass for a setting. The API key has no place here: files are copied and committed.
 */
export const fileConfig = z
  .strictObject({
    $schema: z.string().describe('Where this schema lives, for editors.'),
    input: z
      .strictObject({
        paths: z.array(path).min(1).describe('Files or globs to read; "-" is standard input.'),
        format: z.enum(['csv', 'parquet', 'ndjson']).describe('By extension if left out; needed for "-".'),
        delimiter: z.string().length(1).describe('Of a CSV file; found by itself if left out.'),
        encoding: z.enum(encodingNames).describe('Of a CSV or NDJSON file; found by itself if left out.'),
        columns: z
          .strictObject({
            name: column.describe('The column with company names.'),
            location: z.array(column).describe('Columns joined with ", " into the location.'),
            context: z.array(column).describe('Columns joined with ", " into the context.'),
          })
          .partial(),
        limit: positive.describe('Read only the first rows: a pilot.'),
        dedupe: z.boolean().describe('Rows that ask the same share one lookup.'),
      })
      .partial(),
    output: z
      .strictObject({
        path: path.describe('The file to write; "-" is standard output.'),
        format: z.enum(['csv', 'parquet', 'ndjson']).describe('By extension if left out; needed for "-".'),
        basis: z.enum(['auto', 'inline', 'file', 'none']).describe('Where the sources of each field go.'),
        columns: z.array(column).min(1).describe('The added columns wanted; all if left out.'),
        prefix: z
          .string()
          .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,40}$/, 'letters, digits, _ . -')
          .describe('In front of the added columns.'),
        partial: z.boolean().describe('Write the output also when the run stops early.'),
        bom: z.boolean().describe('A byte order mark in front of CSV, for spreadsheets.'),
      })
      .partial(),
    checkpoint: z
      .strictObject({
        path: path.describe('The SQLite file that remembers what was asked and answered.'),
        maxAge: duration.describe('Ask again when an answer is older than this.'),
      })
      .partial(),
    service: z
      .strictObject({
        baseUrl: z.string().min(1).describe('Of a hosted service; the embedded one if left out.'),
        registry: path.describe('The registry that the embedded service answers from.'),
      })
      .partial(),
    budget: z
      .strictObject({
        lookupsMax: z.int().min(0).describe('Submit no more than this many lookups.'),
        durationMax: duration.describe('Stop after this long.'),
      })
      .partial(),
    submission: z
      .strictObject({
        onLost: z
          .enum(['hold', 'resubmit'])
          .describe('What to do with a submission whose answer was lost: it may have been billed.'),
        onServerError: z
          .enum(['hold', 'resubmit'])
          .describe('What to do after HTTP 500 to a submission: it may have been billed.'),
      })
      .partial(),
    limits: z
      .strictObject({
        submitPerMinute: positive.max(1_000_000).describe('Submissions a window.'),
        pollPerMinute: positive.max(1_000_000).describe('Polls a window.'),
        windowSeconds: z.number().positive().max(3600).describe('Length of the window.'),
        inFlightRunsMax: positive.max(100_000).describe('Runs waited for at one time.'),
        submitConcurrency: positive.max(256).describe('Submissions in flight at one time.'),
      })
      .partial(),
    polling: z
      .strictObject({
        firstAfterSeconds: z.number().min(0).max(3600).describe('No poll sooner after a submission.'),
        intervalSeconds: z.number().positive().max(3600).describe('Between two polls of one run.'),
        deadlineMinutes: z
          .number()
          .positive()
          .max(100_000)
          .describe('Then the run is left for the next command.'),
      })
      .partial(),
    webhook: z
      .strictObject({
        url: z.string().max(2_000).describe('Where the service sends answers; empty: they are polled.'),
        listen: z
          .string()
          .refine((text) => text === '' || parseListenAddress(text) !== null, {
            error: 'host:port is needed, like 127.0.0.1:8788',
          })
          .describe('Where this machine takes them, behind that URL; empty: a standing receiver does.'),
      })
      .partial(),
  })
  .partial()
export type FileConfig = z.infer<typeof fileConfig>

/** The numbers of a hosted service: its stated limits, and runs of one to five minutes. */
export const hostedDefaults = {
  limits: {
    submitPerMinute: rateLimits.submissionsPerMinute,
    pollPerMinute: rateLimits.pollsPerMinute,
    windowSeconds: rateLimits.windowSeconds,
    inFlightRunsMax: 2_000,
    submitConcurrency: 16,
  },
  polling: { firstAfterSeconds: 60, intervalSeconds: 10, deadlineMinutes: 60 },
} as const

/** The embedded service is ours alone: no budget to hold, and answers within moments. */
export const embeddedDefaults = {
  limits: {
    submitPerMinute: null,
    pollPerMinute: null,
    windowSeconds: 60,
    inFlightRunsMax: 200,
    submitConcurrency: 32,
  },
  polling: { firstAfterSeconds: 0, intervalSeconds: 0.05, deadlineMinutes: 60 },
} as const

export const defaults = {
  configPath: 'pipeline.config.json',
  checkpointPath: '.enrich/checkpoint.sqlite',
  registryPath: '.enrich/registry.sqlite',
  serviceDataPath: '.enrich/service',
  prefix: 'enrich_',
} as const
