import { Readable } from 'node:stream'
import * as z from 'zod'
import { buildInputOptions, type InspectionRequest } from '../../app/inspect-input.js'
import { proposeDecisions, withDoubtfulRows } from '../../app/propose-decisions.js'
import { inspectColumns } from '../../pipeline/inspect-rows.js'
import { verdicts, type Candidate } from '../../core/decisions.js'
import { systemClock } from '../../platform/clock.js'
import { UserError } from '../../core/errors.js'
import { toUnits } from '../../core/money.js'
import { runWithin, toRunWords, type RunCall } from './run-tool.js'
import type { InputArguments, Workspace } from './workspace.js'

export interface ToolCall extends RunCall {
  /** Name of the client, as it introduced itself. */
  readonly client: string
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: z.ZodObject
  /** Whether the tool submits lookups or writes files: listed only with `--allow-run`. */
  readonly isWriting: boolean
  readonly call: (args: unknown, workspace: Workspace, call: ToolCall) => Promise<object>
}

function defineTool<Schema extends z.ZodObject>(
  tool: Omit<Tool, 'schema' | 'call'> & {
    readonly schema: Schema
    readonly call: (args: z.infer<Schema>, workspace: Workspace, call: ToolCall) => Promise<object>
  },
): Tool {
  return {
    ...tool,
    call: async (args, workspace, call) => tool.call(tool.schema.parse(args), workspace, call),
  }
}

const text = () => z.string().min(1).max(1_000)
const file = () => text().describe('Path below the folder of the server.')
const columns = {
  name_column: text().optional().describe('Column with the company names; defaults to the detected one.'),
  location_columns: z.array(text()).max(20).optional().describe('Columns of the place; default: detected.'),
  sheet: text().optional().describe('Sheet of an Excel file.'),
  no_header: z
    .boolean()
    .optional()
    .describe('The first row of a CSV or Excel file is a row; columns are column_1, column_2 and so on.'),
}
const inputShape = {
  files: z.array(file()).min(1).max(100).optional().describe('Files to read; default: those of the config.'),
  ...columns,
  limit: z.int().min(1).optional().describe('Read only the first rows.'),
}
const output = file().optional().describe('File to write: .csv, .parquet, .ndjson or .xlsx.')
const budget = {
  max_lookups: z.int().min(0).max(1_000_000_000).optional().describe('Submit at most this many lookups.'),
  max_cost: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('Highest cost, in the currency of the prices.'),
}

const acceptance = z
  .boolean()
  .optional()
  .describe('Run although the input may be read wrongly; plan lists why. Ask the user first.')

const excerptCharsMax = 80
const excerptsMax = 3
const changesMax = 100

const toReviewDeps = (
  workspace: Workspace,
  args: InputArguments,
  signal: AbortSignal,
): InspectionRequest => ({
  settings: workspace.readSettings(workspace.toWords(args)),
  stdin: Readable.from([]),
  environment: workspace.deps.io.environment,
  signal,
})

const inspectFile = defineTool({
  name: 'inspect_file',
  description:
    'Shows the columns of a file with a few cells, and which of them are the names and places of companies.',
  schema: z.strictObject({ file: file(), ...columns }),
  isWriting: false,
  call: async ({ file, ...args }, workspace) => {
    const settings = workspace.readSettings(workspace.toWords({ files: [file], ...args }))
    const { identifierUse, input: asked } = settings
    const source = { input: buildInputOptions(settings), columns: asked.columns, identifierUse }
    return inspectColumns(source, {}, ({ input, columns: found }) => {
      const excerpts = input.columns.map((column) => ({
        column,
        cells: [...new Set(found.samples.get(column))]
          .slice(0, excerptsMax)
          .map((cell) => cell.slice(0, excerptCharsMax)),
      }))
      let detected: object
      try {
        detected = found.detect()
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        detected = { code: error.code, message: error.message, hint: error.hint ?? null }
      }
      return Promise.resolve({ file, columns: excerpts, detected, notes: input.listNotes() })
    })
  },
})

const plan = defineTool({
  name: 'plan',
  description: 'Counts rows, lookups, highest cost and time of a run. Submits and writes nothing.',
  schema: z.strictObject({ ...inputShape, output, ...budget, accept_doubtful_input: acceptance }),
  isWriting: false,
  call: async (args, workspace, { signal }) => {
    const words = toRunWords(args, workspace)
    workspace.readSettings(words)
    const [plan] = await workspace.collect(['plan', ...words], signal)
    return plan ?? {}
  },
})

const run = defineTool({
  name: 'run',
  description:
    'Looks up the companies of a file and writes the output. Needs a budget: max_lookups or max_cost. The user confirms ' +
    'a run that may be billed. A run that was cancelled or interrupted continues with the same call, or with the ' +
    'command in the result.',
  schema: z.strictObject({ ...inputShape, output, ...budget, accept_doubtful_input: acceptance }),
  isWriting: true,
  call: runWithin,
})

const status = defineTool({
  name: 'status',
  description:
    'Counts the lookups of the checkpoint by state, and shows what runs of this server may still spend.',
  schema: z.strictObject({}),
  isWriting: false,
  call: async (_, workspace, { signal }) => {
    const { cap, allowsRun } = workspace.deps
    workspace.readSettings(workspace.toWords({}))
    const [found] = await workspace.collect(
      ['status', ...workspace.toWords({}, ['config', 'checkpoint', 'decisions'])],
      signal,
    )
    const { lookups, costMicros } = cap.left
    const left = { lookups, cost: costMicros === null ? null : toUnits(costMicros) }
    return { ...found, server: { allowsRun, left } }
  },
})

const doubtfulRows = defineTool({
  name: 'doubtful_rows',
  description:
    'Lists doubtful rows with their stored candidates, those of most rows first. Requests nothing.',
  schema: z.strictObject({
    ...inputShape,
    from: z.int().min(0).default(0).describe('Number of rows to skip.'),
    count: z.int().min(1).max(50).default(10),
  }),
  isWriting: false,
  call: ({ from, count, ...args }, workspace, { signal }) =>
    withDoubtfulRows(toReviewDeps(workspace, args, signal), (rows) => ({
      openCount: rows.openCount,
      from,
      rows: rows
        .list(from, count)
        .map((row) => ({ ...row, candidates: row.candidates.map(toShownCandidate) })),
    })),
})

const toShownCandidate = ({ evidence, otherNames, ...candidate }: Candidate) => ({
  ...candidate,
  otherNames: otherNames.slice(0, excerptsMax),
  evidence: evidence.map(({ label, text }) => `${label}: ${text}`),
})

const decide = defineTool({
  name: 'decide',
  description:
    'Proposes verdicts on doubtful rows: the id of a candidate, or none. A proposal changes no output until a reviewer ' +
    'confirms it in enrich review.',
  schema: z.strictObject({
    ...inputShape,
    decisions: z
      .array(
        z.strictObject({
          lookup: z
            .string()
            .regex(/^[0-9a-f]{32}$/)
            .describe('From doubtful_rows.'),
          verdict: z.enum(verdicts).describe('accepted: the company is entity_id; none: no known company.'),
          entity_id: text().nullable().default(null).describe('Id of the company (siq_…).'),
          note: z.string().max(2_000).nullable().default(null).describe('The reason, for the reviewer.'),
        }),
      )
      .min(1)
      .max(100),
  }),
  isWriting: true,
  call: async ({ decisions, ...args }, workspace, { signal, client }) => {
    const made = decisions.map(({ entity_id: entityId, ...decision }) => ({ ...decision, entityId }))
    const by = { name: client, nowMs: systemClock.nowMs() }
    const { proposals, path } = await proposeDecisions(toReviewDeps(workspace, args, signal), made, by)
    const words = workspace.toWords({ ...args, limit: undefined })
    return { proposed: proposals, path, confirm: workspace.formatCommand(['review', ...words]) }
  },
})

const diff = defineTool({
  name: 'diff',
  description: `Compares two outputs of one input: counts by kind, and the first ${changesMax} changes.`,
  schema: z.strictObject({
    runs: z
      .string()
      .regex(/^\d{1,9}(?:\.\.\d{1,9})?$/)
      .optional()
      .describe('12 or 12..15; default: the last two.'),
  }),
  isWriting: false,
  call: async ({ runs }, workspace, { signal }) => {
    workspace.readSettings(workspace.toWords({}))
    const words = [...(runs === undefined ? [] : [runs]), ...workspace.toWords({}, ['config', 'checkpoint'])]
    const lines = await workspace.collect(['diff', ...words], signal, changesMax)
    return { ...lines.at(-1), changes: lines.slice(0, -1) }
  },
})

const searchRegistry = defineTool({
  name: 'search_registry',
  description: 'Finds companies by name in the registry of this machine.',
  schema: z.strictObject({
    name: text(),
    country: z
      .string()
      .regex(/^[A-Za-z]{2}$/)
      .optional()
      .describe('Two letters.'),
    region: z
      .string()
      .max(10)
      .regex(/^[A-Za-z0-9-]+$/)
      .optional()
      .describe('Like US-DE.'),
    limit: z.int().min(1).max(50).default(10),
  }),
  isWriting: false,
  call: async ({ name, country, region, limit }, workspace, { signal }) => {
    const { registryPath } = workspace.readSettings(workspace.toWords({})).service
    const flags = [
      ...(registryPath === null ? [] : [`--registry=${registryPath}`]),
      ...(country === undefined ? [] : [`--country=${country.toUpperCase()}`]),
      ...(region === undefined ? [] : [`--region=${region}`]),
    ]
    const words = ['registry', 'search', ...flags, '--limit', String(limit), '--', name]
    return { hits: await workspace.collect(words, signal) }
  },
})

/** All tools, in the order of the list. */
export const tools: readonly Tool[] = [
  inspectFile,
  plan,
  run,
  status,
  doubtfulRows,
  decide,
  diff,
  searchRegistry,
]
