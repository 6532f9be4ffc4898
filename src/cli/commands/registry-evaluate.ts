import { existsSync, writeFileSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { defaultPaths } from '../../config/options.js'
import { UserError } from '../../core/errors.js'
import { assertNotOurs, checkpointFiles, registryFiles } from '../../pipeline/own-files.js'
import { systemClock } from '../../platform/clock.js'
import { isSameFile } from '../../platform/same-file.js'
import { evaluate, type Verdict } from '../../registry/evaluate/evaluate.js'
import { readLabelledQueries } from '../../registry/evaluate/labelled-query.js'
import { openRegistry } from '../../registry/registry.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { jsonLine, type CliIo } from '../terminal/io.js'
import { evaluationText } from '../terminal/registry-evaluate-text.js'

interface EvaluateFlags {
  map?: Record<string, string>
  idType?: string
  encoding?: Encoding
  registry?: string
  errors?: string
  json?: boolean
}

/** `enrich registry evaluate QUERIES.csv`; map and registry are options as the other commands have them. */
export function addEvaluate(
  registry: Command,
  io: CliIo,
  options: { map: Option; encoding: Option; registry: Option; registryPathDefault: string },
): void {
  registry
    .command('evaluate')
    .description('measure the answers on names whose companies are known')
    .argument('<queries>', 'CSV: names, places, the ids that are right')
    .addOption(options.map)
    .addOption(options.encoding)
    .option('--id-type <type>', 'what the expected ids are, where no column says so')
    .option('--errors <file>', 'write what was answered wrongly, or not, as CSV')
    .addOption(options.registry)
    .option('--json', 'the report as one JSON line')
    .action(async (file: string, flags: EvaluateFlags) => {
      await run(file, flags, flags.registry ?? options.registryPathDefault, io)
    })
}

async function run(file: string, flags: EvaluateFlags, registryPath: string, io: CliIo): Promise<void> {
  if (flags.errors !== undefined) assertErrorsApart(flags.errors, file, registryPath)
  const notes: string[] = []
  const queries = await readLabelledQueries(file, {
    ...(flags.map === undefined ? {} : { map: flags.map }),
    ...(flags.idType === undefined ? {} : { idType: flags.idType }),
    ...(flags.encoding === undefined ? {} : { encoding: flags.encoding }),
    onNotice: (text) => {
      notes.push(text)
      io.err(`${text}\n`)
    },
  })
  const registry = openRegistry(registryPath, { readonly: true })
  try {
    const { report, errors } = evaluate(queries, registry.resolveDeps, () => systemClock.monotonicMs())
    if (flags.errors !== undefined) writeErrors(flags.errors, errors)
    io.out(flags.json === true ? jsonLine('evaluation', { ...report, notes }) : evaluationText(report))
  } finally {
    registry.close()
  }
}

/** Throws OUTPUT_IS_INPUT and OUTPUT_IS_OURS: the file of errors is written over whatever stands there. */
function assertErrorsApart(path: string, queriesPath: string, registryPath: string): void {
  if (isSameFile(path, queriesPath)) {
    throw new UserError('OUTPUT_IS_INPUT', `--errors ${path} is the input ${queriesPath}`, {
      hint: 'name another file for --errors',
    })
  }
  assertNotOurs([path], [...registryFiles(registryPath), ...checkpointFiles(defaultPaths.checkpoint)])
}

function writeErrors(path: string, errors: readonly Verdict[]): void {
  const rows = errors.map(({ query, ...verdict }) => ({
    query_id: query.id,
    stratum: query.stratum,
    query_name: query.name,
    location: query.location ?? '',
    expected: query.expected.map(({ type, value }) => (type === null ? value : `${type}:${value}`)).join('|'),
    status: verdict.status,
    confidence: verdict.confidence,
    answered_name: verdict.answeredName ?? '',
    answered_ids: verdict.answeredIds,
    rank_of_expected: verdict.rank ?? '',
    factors: verdict.factors,
  }))
  const columns =
    'query_id,stratum,query_name,location,expected,status,confidence,answered_name,answered_ids,rank_of_expected,factors'
  try {
    writeFileSync(path, stringify(rows, { header: true, columns: columns.split(',') }))
  } catch (cause) {
    const isFolder = existsSync(path)
    throw new UserError('OUTPUT_UNWRITABLE', `${path} cannot be written`, {
      hint: isFolder ? 'another --errors file' : 'check the folder of --errors',
      cause,
    })
  }
}
