import { InvalidArgumentError, type Command, type Option } from 'commander'
import { findRegistryPath } from '../../app/registry-adapter.js'
import { toLabelledDecisions, type LabelledDecisions } from '../../app/propose-decisions.js'
import { defaultPaths } from '../../config/options.js'
import { UserError } from '../../core/errors.js'
import { readDecisionsFile } from '../../pipeline/decisions/decision-sync.js'
import { assertExtraOutputUsable, publishTable, resolveTable } from '../../pipeline/output/plain-table.js'
import { assertNotOurs, listCheckpointFiles, listRegistryFiles } from '../../pipeline/own-files.js'
import { systemClock } from '../../platform/clock.js'
import { isSameFile } from '../../platform/files.js'
import {
  evaluateRegistry,
  precisionMinDefault,
  readLabelledQueries,
  type LabelledQuery,
  type RegistryEvaluation,
} from '../../registry/evaluate/evaluation.js'
import type { Encoding } from '../../core/file-formats.js'
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
  let listDelimiter: string | null = null
  const onDelimiter = (delimiter: string | null) => void (listDelimiter = delimiter)
  const queries = decisions?.queries ?? (await readQueries(path, flags, { onNotice, onDelimiter }))
  const evaluation = evaluateRegistry({
    registryPath: findRegistryPath(flags.registry ?? null),
    queries,
    areDecisions: decisions !== null,
    leaveOutShare: flags.leaveOut ?? 0,
    precisionMin: flags.precision,
    comparedPath: otherPath ?? null,
    monotonicMs: () => systemClock.monotonicMs(),
  })
  if (errorsPath !== undefined) {
    const target = resolveTable({ path: errorsPath, format: 'csv', listDelimiter })
    await publishTable({ name: 'errors', ...evaluation.errors }, target)
  }
  if (flags.json === true) {
    io.out(formatJsonLine('evaluation', { ...toJson(evaluation, decisions), notes }))
    return
  }
  io.out(formatText(evaluation, decisions))
  if (evaluation.comparison !== null) io.out(formatComparison(evaluation.comparison, otherPath ?? ''))
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
  observer: Required<Pick<Parameters<typeof readLabelledQueries>[1] & object, 'onNotice' | 'onDelimiter'>>,
): Promise<LabelledQuery[]> {
  return readLabelledQueries(path, {
    ...(map === undefined ? {} : { map }),
    ...(idType === undefined ? {} : { idType }),
    ...(encoding === undefined ? {} : { encoding }),
    ...observer,
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

function toJson(
  { report, decided, accept, comparison, outcomes }: RegistryEvaluation,
  labelled: LabelledDecisions | null,
): object {
  const common = { accept, comparison, queries: outcomes }
  if (decided === null || labelled === null) return { ...report, ...common }
  const { acceptedCount, noneCount, unknown, byCountry, advice } = decided
  const { otherServiceCount, furtherAskedCount } = labelled
  const counts = { otherServiceCount, furtherAskedCount }
  const decisions = { acceptedCount, noneCount, unknown, byCountry, advice, ...counts }
  return { ...report, decisions, ...common }
}

const formatText = (
  { report, decided, accept }: RegistryEvaluation,
  labelled: LabelledDecisions | null,
): string =>
  decided === null || labelled === null
    ? formatEvaluation(report) + formatAcceptAdvice(accept, false)
    : formatDecidedEvaluation(decided, labelled) + formatAcceptAdvice(accept, true)

/** Throws OUTPUT_IS_INPUT, OUTPUT_IS_OURS and OUTPUT_UNWRITABLE, because the file of errors overwrites an existing file. */
function assertErrorsApart(path: string, queriesPath: string, registryPaths: readonly string[]): void {
  if (isSameFile(path, queriesPath)) {
    throw new UserError('OUTPUT_IS_INPUT', `--errors ${path} is the input ${queriesPath}`, {
      hint: 'name another file for --errors',
    })
  }
  const ownFiles = listCheckpointFiles(defaultPaths.checkpoint)
  assertNotOurs([path], [...registryPaths.flatMap(listRegistryFiles), ...ownFiles])
  assertExtraOutputUsable([], path, [])
}
