import type { Command, Option } from 'commander'
import { UserError } from '../../core/errors.js'
import { systemClock, type Clock } from '../../platform/clock.js'
import {
  importFormats,
  importRegister,
  loadInto,
  planLoad,
  type ImportFormat,
  type ImportResult,
  type LoadedFile,
} from '../../registry/load.js'
import type { DateOrder, Encoding } from '../../core/file-formats.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'
import {
  listFormats,
  formatImport,
  formatFailures,
  formatLoadedFile,
  formatPlan,
  formatLoadSummary,
  formatRegistryFlag,
} from '../terminal/registry-text.js'
import { formatImportProgress, formatLoadProgress } from '../terminal/progress-text.js'
import { formatLostStatuses } from '../terminal/sources-text.js'

interface ImportFlags {
  idType?: string
  map?: Record<string, string>
  country?: string
  jurisdiction?: string
  source?: string
  date?: string
  encoding?: Encoding
  dates?: DateOrder
  registry?: string
  json?: boolean
}

/** Adds `enrich registry import FORMAT FILE`. */
export function addImport(
  registry: Command,
  io: CliIo,
  options: { map: Option; encoding: Option; dates: Option; registry: Option; registryPathDefault: string },
): void {
  registry
    .command('import')
    .description('import a file of register data')
    .argument('<format>', 'format of the file, see below')
    .argument('<file>', 'the file: plain, .gz, .zst or in a .zip')
    .option(
      '--id-type <type>',
      'csv: kind of the ids: lei, cik, registration_id, ein, duns, bic, or your own word',
    )
    .addOption(options.map)
    .addOption(options.encoding)
    .option('--country <code>', 'csv: country of rows without one')
    .option('--jurisdiction <code>', 'csv: jurisdiction of rows without one (gb, us_de, …)')
    .addOption(options.dates)
    .option(
      '--source <name>',
      'name of the source (default: the format; for csv the file name without a date)',
    )
    .option(
      '--date <day>',
      'date of the file, YYYY-MM-DD (default: from its name, its content or its modification time)',
    )
    .addOption(options.registry)
    .option('--json', 'print the counts as one JSON line')
    .addHelpText('after', `\n${listFormats()}`)
    .action(async (format: string, file: string, flags: ImportFlags) => {
      const path = flags.registry ?? options.registryPathDefault
      const notes: string[] = []
      const onNotice = (text: string) => {
        notes.push(text)
        io.err(`${text}\n`)
      }
      const result = await runImport(readFormat(format, flags), file, path, flags, io, onNotice)
      io.err(formatLostStatuses(result) ?? '')
      io.out(
        flags.json === true
          ? formatJsonLine('import', { ...result, notes })
          : formatImport(result, file, { registryPath: path, isOwnList: format === 'csv' }),
      )
    })
}

function readFormat(text: string, flags: ImportFlags): ImportFormat {
  const format = importFormats.find((one) => one === text)
  if (format === 'csv') return format
  if (format === undefined) {
    throw new UserError('USAGE_INVALID', `${text} is not an import format`, {
      hint: `formats: ${importFormats.join(', ')}; most registers can be given as CSV with --map`,
    })
  }
  const unfit = (['idType', 'map', 'country', 'jurisdiction', 'dates'] as const).find(
    (flag) => flags[flag] !== undefined,
  )
  if (unfit !== undefined) {
    const flag = unfit === 'idType' ? 'id-type' : unfit
    throw new UserError('USAGE_INVALID', `--${flag} is only for csv; a ${text} file has fixed columns`)
  }
  return format
}

const millisecondsPerDay = 86_400_000

function readDay(text: string): number {
  const dateMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN
  if (dateMs > systemClock.nowMs() + millisecondsPerDay)
    throw new UserError('USAGE_INVALID', `--date ${text} is in the future`, {
      hint: 'pass the day on which the file was published',
    })
  if (!Number.isNaN(dateMs)) return dateMs
  throw new UserError('USAGE_INVALID', `--date "${text}" is not a date`, { hint: 'write it as 2026-11-20' })
}

async function runImport(
  format: ImportFormat,
  file: string,
  registryPath: string,
  flags: ImportFlags,
  io: CliIo,
  onNotice: (text: string) => void,
): Promise<ImportResult> {
  const progress = createProgress(io, systemClock)
  const common = {
    path: file,
    ...(flags.source === undefined ? {} : { sourceName: flags.source }),
    ...(flags.date === undefined ? {} : { dateMs: readDay(flags.date) }),
    ...(flags.encoding === undefined ? {} : { encoding: flags.encoding }),
    signal: io.interrupt,
    onNotice,
    onProgress: (rowCount: number) => {
      progress.tell(rowCount)
    },
  }
  try {
    if (format !== 'csv') return await importRegister(registryPath, { ...common, format })
    return await importRegister(registryPath, {
      ...common,
      format,
      ...(flags.idType === undefined ? {} : { idType: flags.idType }),
      ...(flags.map === undefined ? {} : { map: flags.map }),
      ...(flags.country === undefined ? {} : { country: flags.country }),
      ...(flags.jurisdiction === undefined ? {} : { jurisdiction: flags.jurisdiction }),
      ...(flags.dates === undefined ? {} : { dates: flags.dates }),
    })
  } catch (error) {
    throw nameRegistry(error, formatRegistryFlag(registryPath))
  } finally {
    progress.end()
  }
}

/** Completes a command at the end of a hint. */
function nameRegistry(error: unknown, flag: string): unknown {
  if (flag === '' || !(error instanceof UserError) || !/: enrich registry import \S/.test(error.hint ?? ''))
    return error
  return new UserError(error.code, error.message, { hint: `${error.hint ?? ''}${flag}`, cause: error })
}

/** Interval of redrawing the progress line on a terminal, and of writing one elsewhere. */
const drawIntervalMs = 200
const lineIntervalMs = 10_000

/** Prints progress: one redrawn line on a terminal, lines at intervals elsewhere. */
export function createProgress(
  io: CliIo,
  clock: Clock,
  textOf: (rowCount: number, elapsedMs: number, isEnd: boolean) => string = formatImportProgress,
): { tell(rowCount: number): void; end(): void } {
  const startedAtMs = clock.monotonicMs()
  let toldAtMs = startedAtMs
  let lastCount: number | null = null
  return {
    tell(rowCount) {
      const nowMs = clock.monotonicMs()
      lastCount = rowCount
      const text = textOf(rowCount, nowMs - startedAtMs, false)
      if (nowMs - toldAtMs < (io.isTerminal ? drawIntervalMs : lineIntervalMs)) return
      toldAtMs = nowMs
      if (io.isTerminal) io.draw(() => text)
      else io.err(`${text}\n`)
    },
    end() {
      if (lastCount !== null) io.err(`${textOf(lastCount, clock.monotonicMs() - startedAtMs, true)}\n`)
    },
  }
}

interface LoadFlags {
  encoding?: Encoding
  dates?: DateOrder
  registry?: string
  dryRun?: boolean
  json?: boolean
}

export function addLoad(
  registry: Command,
  io: CliIo,
  options: { encoding: Option; dates: Option; registry: Option; registryPathDefault: string },
): void {
  registry
    .command('load')
    .description('load files and folders of register data; detects their formats')
    .argument('<paths...>', 'files or folders, also compressed files')
    .option('--dry-run', 'print the plan and import nothing')
    .addOption(options.encoding)
    .addOption(options.dates)
    .addOption(options.registry)
    .option('--json', 'print JSON lines: the plan, then each loaded file')
    .action(async (paths: string[], flags: LoadFlags) => {
      await runLoad(paths, flags, flags.registry ?? options.registryPathDefault, io)
    })
}

async function runLoad(
  paths: readonly string[],
  flags: LoadFlags,
  registryPath: string,
  io: CliIo,
): Promise<void> {
  const isJson = flags.json === true
  const { encoding, dates } = flags
  const settings = { ...(encoding && { encoding }), ...(dates && { dates }) }
  const plan = await planLoad(paths, io.interrupt, settings, registryPath)
  io.out(isJson ? formatJsonLine('plan', plan) : formatPlan(plan, registryPath))
  if (plan.steps.length === 0) {
    throw new UserError('REGISTRY_IMPORT_INVALID', 'none of the files can be loaded', {
      hint:
        plan.leftOut[0] === undefined
          ? 'the folders are empty'
          : 'the plan above has the reason for each file',
    })
  }
  if (flags.dryRun === true) return
  let progress = createProgress(io, systemClock)
  const startedAtMs = systemClock.monotonicMs()
  const files = await loadInto(registryPath, plan, {
    signal: io.interrupt,
    onBegun: (step) => {
      const formatProgress = (rowCount: number, elapsedMs: number, isEnd: boolean) =>
        formatLoadProgress(step, rowCount, elapsedMs, isEnd)
      progress = createProgress(io, systemClock, formatProgress)
      progress.tell(0)
    },
    onProgress: (rowCount) => {
      progress.tell(rowCount)
    },
    onLoaded: (file) => {
      progress.end()
      io.err(file.result === null ? '' : (formatLostStatuses(file.result) ?? ''))
      io.out(isJson ? formatJsonLine('loaded', toReport(file)) : formatLoadedFile(file))
    },
  })
  const elapsedMs = Math.round(systemClock.monotonicMs() - startedAtMs)
  const failed = files.filter(({ error }) => error !== null)
  if (!isJson) io.out(formatLoadSummary(files, plan, registryPath, elapsedMs))
  else io.out(formatJsonLine('summary', { fileCount: files.length, failedCount: failed.length, elapsedMs }))
  if (failed.length > 0) throw createFailure(failed, files.length)
}

function toReport({ step, result, error }: LoadedFile): object {
  const failed =
    error === null ? null : { code: error.code, message: error.message, hint: error.hint ?? null }
  return { path: step.path, format: step.format, result, error: failed }
}

function createFailure(failed: readonly LoadedFile[], fileCount: number): UserError {
  const what = failed.length === 1 ? '1 file' : `${failed.length} files`
  return new UserError(
    'REGISTRY_IMPORT_INVALID',
    `${what} of ${fileCount} could not be loaded: ${formatFailures(failed)}`,
    {
      hint: 'the other files are loaded; fix or download the file again and run the same command: loaded files are not read again',
    },
  )
}
