import { existsSync, readFileSync } from 'node:fs'
import { InvalidArgumentError, type Command, type Option } from 'commander'
import { toLabelledDecisions, type LabelledDecisions } from '../../app/labelled-decisions.js'
import { defaultPaths } from '../../config/options.js'
import { UserError } from '../../core/errors.js'
import { readDecisionsFile } from '../../pipeline/decisions/decisions-file.js'
import { assertExtraOutputUsable } from '../../pipeline/output/output-path.js'
import { publishText } from '../../pipeline/output/staged-file.js'
import { assertNotOurs, listCheckpointFiles, listRegistryFiles } from '../../pipeline/own-files.js'
import { systemClock } from '../../platform/clock.js'
import { isSameFile, isSqliteFile } from '../../platform/files.js'
import { adviseAccept, precisionMinDefault } from '../../registry/evaluate/accept-advice.js'
import {
  compareOutcomes,
  toQueryOutcome,
  savedEvaluation,
  type QueryOutcome,
} from '../../registry/evaluate/compare-evaluations.js'
import {
  evaluateDecided,
  evaluate,
  type EvaluationDeps,
  type Verdict,
} from '../../registry/evaluate/evaluate.js'
import { readLabelledQueries, type LabelledQuery } from '../../registry/evaluate/labelled-query.js'
import { openRegistry } from '../../registry/registry.js'
import { openShippedRegistry } from '../../registry/shipped.js'
import { formatCsv } from '../../tables/csv-writer.js'
import type { Encoding } from '../../tables/encodings/names.js'
import {
  formatAcceptAdvice,
  formatDecidedEvaluation,
  formatComparison,
  formatEvaluation,
} from '../terminal/evaluation-text.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'

interface EvaluateFlags {
  decisions?: string
  map?: Record<string, string>
  idType?: string
  encoding?: Encoding
  registry?: string
  errors?: string
  leaveOut?: number
  compare?: string
  precision: number
  json?: boolean
}

/** Adds `enrich registry evaluate QUERIES.csv`. */
export function addEvaluate(
  registry: Command,
  io: CliIo,
  options: { map: Option; encoding: Option; registry: Option; registryPathDefault: string },
): void {
  registry
    .command('evaluate')
    .description('measure the answers for names with known companies')
    .argument('[queries]', 'CSV with names, places and the right ids')
    .option('--decisions <path>', 'use the decisions of enrich review instead of queries')
    .addOption(options.map)
    .addOption(options.encoding)
    .option('--id-type <type>', 'kind of the expected ids, if no column states it')
    .option('--errors <file>', 'write wrong and missing answers as CSV')
    .option(
      '--leave-out <share>',
      'repeat this share of the queries without the right company, like 0.2',
      parseShare,
    )
    .option('--compare <other>', 'compare with another registry, or with a report saved from --json')
    .option(
      '--precision <share>',
      'required share of right answers for recommending accept, 0.5 to 0.999',
      parsePrecision,
      precisionMinDefault,
    )
    .addOption(options.registry)
    .option('--json', 'print the report as one JSON line')
    .action(async (file: string | undefined, flags: EvaluateFlags) => {
      await run(file, flags, flags.registry ?? options.registryPathDefault, io)
    })
}

function parseShare(text: string): number {
  const share = Number(text)
  if (text.trim() !== '' && share > 0 && share <= 1) return share
  throw new InvalidArgumentError('It must be a share of the companies: more than 0, at most 1.')
}

function parsePrecision(text: string): number {
  const share = Number(text)
  if (share >= 0.5 && share <= 0.999) return share
  throw new InvalidArgumentError('It must be a share of right answers: 0.5 to 0.999.')
}

const monotonicMs = () => systemClock.monotonicMs()

async function run(
  file: string | undefined,
  flags: EvaluateFlags,
  registryPath: string,
  io: CliIo,
): Promise<void> {
  const { errors: errorsPath, compare: otherPath } = flags
  const path = chooseInput(file, flags)
  if (errorsPath !== undefined) assertErrorsApart(errorsPath, path, [registryPath, otherPath ?? registryPath])
  const notes: string[] = []
  const onNotice = (text: string) => {
    notes.push(text)
    io.err(`${text}\n`)
  }
  const decisions = flags.decisions === undefined ? null : await readDecisions(path, onNotice)
  const queries = decisions?.queries ?? (await readQueries(path, flags, onNotice))
  const before = otherPath === undefined ? null : loadOutcomes(otherPath, queries)
  // Like a run, falls back to the demo registry.
  const isShipped = flags.registry === undefined && !existsSync(registryPath)
  const registry = isShipped ? openShippedRegistry() : openRegistry(registryPath, { readonly: true })
  try {
    const deps = { registry, monotonicMs, leaveOutShare: flags.leaveOut ?? 0 }
    const { verdicts, errors, json, text } = measure(queries, decisions, deps, flags.precision)
    if (errorsPath !== undefined) await writeErrors(errorsPath, errors)
    const outcomes = verdicts.map(toQueryOutcome)
    const comparison = before === null ? null : compareOutcomes(before, outcomes)
    if (flags.json === true) {
      io.out(formatJsonLine('evaluation', { ...json, comparison, queries: outcomes, notes }))
      return
    }
    io.out(text)
    if (comparison !== null) io.out(formatComparison(comparison, otherPath ?? ''))
  } finally {
    registry.close()
  }
}

/** Path of the queries or of the decisions. Throws USAGE_INVALID unless exactly one is given. */
function chooseInput(file: string | undefined, { decisions, map, idType, encoding }: EvaluateFlags): string {
  const path = file ?? decisions
  if (path === undefined || (file !== undefined && decisions !== undefined)) {
    throw new UserError('USAGE_INVALID', 'pass either a file of queries or --decisions', {
      hint: 'enrich registry evaluate --decisions enrich.decisions.csv',
    })
  }
  if (decisions !== undefined && (map ?? idType ?? encoding) !== undefined) {
    throw new UserError('USAGE_INVALID', '--map, --id-type and --encoding are only for files of queries', {
      hint: 'leave them out: a decisions file has fixed columns',
    })
  }
  return path
}

function readQueries(
  path: string,
  { map, idType, encoding }: EvaluateFlags,
  onNotice: (text: string) => void,
): Promise<LabelledQuery[]> {
  return readLabelledQueries(path, {
    ...(map === undefined ? {} : { map }),
    ...(idType === undefined ? {} : { idType }),
    ...(encoding === undefined ? {} : { encoding }),
    onNotice,
  })
}

/** Throws DECISIONS_NOT_FOUND, DECISIONS_INVALID and DECISIONS_CONFLICT. */
async function readDecisions(path: string, onNotice: (text: string) => void): Promise<LabelledDecisions> {
  const file = await readDecisionsFile(path)
  if (file === null) {
    throw new UserError('DECISIONS_NOT_FOUND', `there is no decisions file ${path}`, {
      hint: 'check --decisions; enrich review creates the file',
    })
  }
  for (const notice of file.notices) onNotice(notice)
  return toLabelledDecisions(file.decisions)
}

interface Measured {
  readonly verdicts: readonly Verdict[]
  readonly errors: readonly Verdict[]
  readonly json: object
  readonly text: string
}

function measure(
  queries: readonly LabelledQuery[],
  labelled: LabelledDecisions | null,
  deps: EvaluationDeps,
  precisionMin: number,
): Measured {
  if (labelled === null) {
    const { report, verdicts, errors } = evaluate(queries, deps)
    const accept = adviseAccept(verdicts, precisionMin)
    const text = formatEvaluation(report) + formatAcceptAdvice(accept, false)
    return { verdicts, errors, json: { ...report, accept }, text }
  }
  const decided = evaluateDecided(queries, deps)
  const { report, verdicts, errors, ...more } = decided
  const { otherServiceCount, furtherAskedCount } = labelled
  const accept = adviseAccept(verdicts, precisionMin)
  const json = { ...report, decisions: { ...more, otherServiceCount, furtherAskedCount }, accept }
  const text = formatDecidedEvaluation(decided, labelled) + formatAcceptAdvice(accept, true)
  return { verdicts, errors, json, text }
}

/** Answers the queries from another registry, or reads the answers of a saved report. */
function loadOutcomes(path: string, queries: readonly LabelledQuery[]): readonly QueryOutcome[] {
  if (!existsSync(path) || isSqliteFile(path)) {
    const registry = openRegistry(path, { readonly: true })
    try {
      return evaluate(queries, { registry, monotonicMs }).verdicts.map(toQueryOutcome)
    } finally {
      registry.close()
    }
  }
  try {
    return savedEvaluation.parse(JSON.parse(readFileSync(path, 'utf8'))).queries
  } catch (cause) {
    throw new UserError('EVALUATION_INVALID', `${path} is neither a registry nor a report of this command`, {
      hint: 'save one with enrich registry evaluate QUERIES --json > FILE',
      cause,
    })
  }
}

/** Throws OUTPUT_IS_INPUT, OUTPUT_IS_OURS and OUTPUT_UNWRITABLE, because the file of errors overwrites an existing file. */
function assertErrorsApart(path: string, queriesPath: string, registryPaths: readonly string[]): void {
  if (isSameFile(path, queriesPath)) {
    throw new UserError('OUTPUT_IS_INPUT', `--errors ${path} is the input ${queriesPath}`, {
      hint: 'name another file for --errors',
    })
  }
  assertNotOurs(
    [path],
    [...registryPaths.flatMap(listRegistryFiles), ...listCheckpointFiles(defaultPaths.checkpoint)],
  )
  assertExtraOutputUsable([], path, [])
}

/** The columns of a file of errors. */
const errorColumns: Readonly<Record<string, (verdict: Verdict) => string | null>> = {
  query_id: ({ query }) => query.id,
  stratum: ({ query }) => query.stratum,
  query_name: ({ query }) => query.name,
  location: ({ query }) => query.location ?? null,
  expected: ({ query }) =>
    query.expected.map(({ type, value }) => (type === null ? value : `${type}:${value}`)).join('|'),
  status: ({ status }) => status,
  confidence: ({ confidence }) => String(confidence),
  answered_name: ({ answeredName }) => answeredName,
  answered_ids: ({ answeredIds }) => answeredIds,
  rank_of_expected: ({ rank }) => (rank === null ? null : String(rank)),
  factors: ({ factors }) => factors,
  share: ({ share }) => share.toFixed(4),
  expected_names: ({ expectedNames }) => expectedNames.join('|'),
  share_of_expected: ({ shareOfExpected }) => shareOfExpected?.toFixed(4) ?? null,
  left_out: ({ isLeftOut }) => (isLeftOut ? 'yes' : null),
}

/** Throws OUTPUT_UNWRITABLE and DISK_FULL. */
function writeErrors(path: string, errors: readonly Verdict[]): Promise<void> {
  const cellsOf = Object.values(errorColumns)
  const rows = errors.map((verdict) => cellsOf.map((cellOf) => cellOf(verdict)))
  return publishText(path, formatCsv([Object.keys(errorColumns), ...rows]))
}
