import type { Command, Option } from 'commander'
import { UserError } from '../../core/errors.js'
import { systemClock, type Clock } from '../../platform/clock.js'
import { fileFormats, isFormatName, type FormatName } from '../../registry/import/formats.js'
import type { ImportResult } from '../../registry/import/import-report.js'
import { importCsvInto } from '../../registry/import/import-csv.js'
import { importFileInto } from '../../registry/import/import-file.js'
import type { Encoding } from '../../tables/encodings/names.js'
import { jsonLine, type CliIo } from '../terminal/io.js'
import { formatsText, importProgressText, importText } from '../terminal/registry-text.js'

interface ImportFlags {
  idType?: string
  map?: Record<string, string>
  country?: string
  jurisdiction?: string
  source?: string
  date?: string
  encoding?: Encoding
  registry?: string
  json?: boolean
}

/** `enrich registry import FORMAT FILE`; map and registry are options as the other commands have them. */
export function addImport(
  registry: Command,
  io: CliIo,
  options: { map: Option; encoding: Option; registry: Option; registryPathDefault: string },
): void {
  registry
    .command('import')
    .description('read a file of registry data in')
    .argument('<format>', 'what the file is, see below')
    .argument('<file>', 'the file, as it is, .gz, .zst or in a .zip')
    .option(
      '--id-type <type>',
      'csv: what the id column holds: lei, cik, registration_id, ein, duns, bic, or a word of yours',
    )
    .addOption(options.map)
    .addOption(options.encoding)
    .option('--country <code>', 'csv: for rows that state none')
    .option('--jurisdiction <code>', 'csv: for rows that state none (gb, us_de, …)')
    .option(
      '--source <name>',
      "what the source is called; the format's name, for csv the file's, if not given",
    )
    .option(
      '--date <day>',
      'of which day the file is (YYYY-MM-DD), where neither its name nor its date says it',
    )
    .addOption(options.registry)
    .option('--json', 'the counts as one JSON line')
    .addHelpText('after', `\n${formatsText()}`)
    .action(async (format: string, file: string, flags: ImportFlags) => {
      const path = flags.registry ?? options.registryPathDefault
      const notes: string[] = []
      const onNotice = (text: string) => {
        notes.push(text)
        io.err(`${text}\n`)
      }
      const result = await runImport(readFormat(format, flags), file, path, flags, io, onNotice)
      io.out(
        flags.json === true
          ? jsonLine('import', { ...result, notes })
          : importText(result, file, { registryPath: path, isOwnList: format === 'csv' }),
      )
    })
}

function readFormat(text: string, flags: ImportFlags): 'csv' | FormatName {
  if (text === 'csv') return text
  if (!isFormatName(text)) {
    throw new UserError('USAGE_INVALID', `${text} is no import format`, {
      hint: `formats: csv, ${Object.keys(fileFormats).join(', ')}; most registers can be given as CSV with --map`,
    })
  }
  const unfit = (['idType', 'map', 'country', 'jurisdiction'] as const).find(
    (flag) => flags[flag] !== undefined,
  )
  if (unfit !== undefined) {
    const flag = unfit === 'idType' ? 'id-type' : unfit
    throw new UserError('USAGE_INVALID', `--${flag} is for csv: a ${text} file says itself what it holds`)
  }
  return text
}

function readDay(text: string): number {
  const dateMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN
  if (!Number.isNaN(dateMs)) return dateMs
  throw new UserError('USAGE_INVALID', `--date "${text}" is no day`, { hint: 'write it as 2026-11-20' })
}

async function runImport(
  format: 'csv' | FormatName,
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
    if (format !== 'csv') return await importFileInto(registryPath, { ...common, format })
    return await importCsvInto(registryPath, {
      ...common,
      ...(flags.idType === undefined ? {} : { idType: flags.idType }),
      ...(flags.map === undefined ? {} : { map: flags.map }),
      ...(flags.country === undefined ? {} : { country: flags.country }),
      ...(flags.jurisdiction === undefined ? {} : { jurisdiction: flags.jurisdiction }),
    })
  } finally {
    progress.end()
  }
}

/** On a terminal the line is drawn anew this often; elsewhere one is written this often. */
const drawIntervalMs = 200
const lineIntervalMs = 10_000

/** What was read so far, on one line of a terminal, or a line now and then. */
export function createProgress(
  io: CliIo,
  clock: Clock,
  textOf: (rowCount: number, elapsedMs: number) => string = importProgressText,
): { tell(rowCount: number): void; end(): void } {
  const startedAtMs = clock.monotonicMs()
  let toldAtMs = startedAtMs
  let text = ''
  return {
    tell(rowCount) {
      const nowMs = clock.monotonicMs()
      text = textOf(rowCount, nowMs - startedAtMs)
      if (nowMs - toldAtMs < (io.isTerminal ? drawIntervalMs : lineIntervalMs)) return
      toldAtMs = nowMs
      if (io.isTerminal) io.draw(() => text)
      else io.err(`${text}\n`)
    },
    end() {
      if (text !== '') io.err(`${text}\n`)
    },
  }
}
