import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '../core/errors.js'
import { systemClock } from '../platform/clock.js'
import { toFileError } from '../tables/limits-and-errors.js'
import { importInto, readFileDateMs, type ImportOptions } from './import/run-import.js'
import type { ImportResult } from './import/session.js'
import { findDateOrders, importCsv, type ImportCsvOptions } from './import/import-csv.js'
import { describeDateOrders } from './import/mapped-format.js'
import { detectFile, formatCommand } from './import/detect-file.js'
import {
  fileFormats,
  importFile,
  importSource,
  type FormatName,
  type ImportFileOptions,
} from './import/file-formats.js'
import { readCsvImports, readLikeBefore, type CsvProposal, type PlannedFile } from './get/editions.js'
import { getSource } from './sources/source.js'

export type { ImportResult } from './import/session.js'
export { getRegisters, type GetOutcome, type GetProgress } from './get/get.js'
export { findCoverage, listLoaded, listRegisters, uncovered } from './get/editions.js'
export { openSource } from './sources/source.js'
export { readCompanyCountry } from './match/parse-location.js'

/** `csv`: any CSV with the names and ids of companies; the others are the files that registers publish. */
export type ImportFormat = 'csv' | FormatName

export const importFormats: readonly ImportFormat[] = ['csv', ...(Object.keys(fileFormats) as FormatName[])]

type ImportRequest = ({ readonly format: 'csv' } & ImportCsvOptions) | ImportFileOptions

/**
 * Imports a file into the registry at a path, in one transaction. A new registry is published only after a complete
 * import, so a failed one never leaves an empty registry. Errors: those of `openRegistry` and `runImport`.
 *
 *     await importRegister('registry.sqlite', { format: 'gleif', path: 'golden-copy.csv.zip' })
 *     await importRegister('registry.sqlite', { format: 'csv', path: 'own.csv', map: { id: 'no', name: 'company' } })
 *
 * `planLoad` and `loadInto` do the same for folders of files whose formats they detect; `getRegisters` downloads files
 * from their publishers.
 */
export function importRegister(registryPath: string, request: ImportRequest): Promise<ImportResult> {
  return importInto(registryPath, (registry) =>
    request.format === 'csv' ? importCsv(registry, request) : importFile(registry, request),
  )
}

/** The files to load, in order, and the skipped ones. */
export interface LoadPlan {
  readonly steps: readonly LoadStep[]
  readonly leftOut: readonly SkippedFile[]
}

interface SkippedFile {
  readonly path: string
  readonly reason: string
  /** Imports the file anyway. */
  readonly command: string | null
}

const filesMax = 10_000

/** How the files of a load are read; detected if absent. */
export type LoadSettings = Pick<ImportCsvOptions, 'encoding' | 'dates'>

/** Inspects files and the files in folders. Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE, USAGE_INVALID. */
export async function planLoad(
  paths: readonly string[],
  signal?: AbortSignal,
  settings: LoadSettings = {},
  registryPath: string | null = null,
): Promise<LoadPlan> {
  const imports = readCsvImports(registryPath)
  const steps: LoadStep[] = []
  const leftOut: SkippedFile[] = []
  for (const path of await listFiles(paths)) {
    signal?.throwIfAborted()
    const found = await detectFile(path, settings.encoding)
    const detected = await readLikeBefore(path, found, imports)
    if (detected.kind === 'unknown') {
      leftOut.push({ path, reason: detected.reason, command: detected.command })
      continue
    }
    const { mtimeMs, size } = await stat(path)
    const fileDate = new Date(await readFileDateMs(path, mtimeMs, systemClock.nowMs())).toISOString()
    const { proposal, ...step } = toStep(detected, basename(path))
    const own = detected.kind === 'csv' ? { ...detected.settings, ...settings } : settings
    const read = proposal === null ? [] : await findDateOrders({ path, ...own, ...toCsvSettings(proposal) })
    const before = detected.kind === 'csv' ? (detected.notices ?? []) : []
    const notices = [...before, ...describeDateOrders(read, '--dates')]
    const overlooked = proposal === null ? [] : listOverlooked(path, proposal)
    steps.push({
      path,
      morePaths: [],
      bytes: size,
      fileDate,
      ...step,
      proposal,
      settings,
      notices,
      overlooked,
    })
  }
  return { steps: inLoadOrder(joinParts(steps)), leftOut }
}

const listOverlooked = (path: string, proposal: CsvProposal): LoadStep['overlooked'] =>
  proposal.overlooked.map((column) => {
    const map = { ...proposal.map, status: column }
    return { column, command: formatCommand(path, { ...proposal, map }) }
  })

function toStep(
  detected: Exclude<PlannedFile, { kind: 'unknown' }>,
  fileName: string,
): Pick<LoadStep, 'format' | 'rowEstimate' | 'sourceName' | 'source' | 'proposal'> {
  const { rowEstimate } = detected
  const common = { rowEstimate, sourceName: null, source: null, proposal: null }
  switch (detected.kind) {
    case 'csv':
      return { ...common, format: 'csv', proposal: detected.proposal }
    case 'format':
      return { ...common, format: detected.format, sourceName: chooseSourceName(detected.format, fileName) }
    case 'source':
      return { ...common, format: 'register', source: detected.source.id }
  }
}

/** Files of a source that is published in several files are one edition. */
function joinParts(steps: readonly LoadStep[]): LoadStep[] {
  const joined: LoadStep[] = []
  for (const step of steps) {
    const at = joined.findIndex(
      ({ source }) => source !== null && source === step.source && isInParts(source),
    )
    const first = joined[at]
    if (first === undefined) joined.push(step)
    else {
      const rowEstimate = addUp(first.rowEstimate, step.rowEstimate)
      const morePaths = [...first.morePaths, step.path]
      joined[at] = { ...first, morePaths, bytes: first.bytes + step.bytes, rowEstimate }
    }
  }
  return joined
}

const addUp = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

function isInParts(id: string): boolean {
  const { tables, files } = getSource(id)
  return (
    tables.length > 1 || files.length !== 1 || files.some((place) => 'all' in place && place.all === true)
  )
}

async function listFiles(paths: readonly string[]): Promise<string[]> {
  const files = new Set<string>()
  const add = async (path: string, isNamed: boolean): Promise<void> => {
    const found = await stat(path).catch((error: unknown) => {
      throw toFileError(error, path)
    })
    if (found.isDirectory()) {
      const names = await readdir(path)
      for (const name of names.sort()) if (!name.startsWith('.')) await add(join(path, name), false)
    } else if (found.isFile() || isNamed) files.add(path)
    if (files.size > filesMax) {
      throw new UserError('USAGE_INVALID', `there are more than ${filesMax} files`, {
        hint: 'pass only the files or folders to load',
      })
    }
  }
  for (const path of paths) await add(path, true)
  return [...files]
}

export interface LoadedFile {
  readonly step: LoadStep
  readonly result: ImportResult | null
  /** The error of a failed file, which leaves the registry unchanged. */
  readonly error: UserError | null
}

export interface LoadHooks {
  readonly onBegun?: (step: LoadStep) => void
  readonly onProgress?: (rowCount: number) => void
  readonly onLoaded?: (file: LoadedFile) => void
  readonly signal?: AbortSignal
}

/**
 * Imports the files of a plan, each in its own transaction: a failed file leaves the registry unchanged, and the
 * others are still loaded. Errors: those of `openRegistry`; the signal's reason.
 */
export async function loadInto(
  registryPath: string,
  plan: LoadPlan,
  { onBegun, onProgress, onLoaded, signal }: LoadHooks,
): Promise<LoadedFile[]> {
  const loaded: LoadedFile[] = []
  for (const step of plan.steps) {
    const common = {
      path: step.path,
      dateMs: Date.parse(step.fileDate),
      isDateFound: true,
      ...dropUndefined({ onProgress, signal }),
    }
    onBegun?.(step)
    let file: LoadedFile
    try {
      file = { step, result: await importStep(registryPath, step, common), error: null }
    } catch (error) {
      if (!(error instanceof UserError) || !isOfFile(error)) throw error
      file = { step, result: null, error }
    }
    loaded.push(file)
    onLoaded?.(file)
  }
  return loaded
}

function importStep(registryPath: string, step: LoadStep, common: ImportOptions): Promise<ImportResult> {
  const { format, proposal, source, morePaths, settings } = step
  const { encoding } = settings
  if (source !== null) {
    const files = { ...common, morePaths, countries: null, isDelta: false }
    return importInto(registryPath, (registry) => importSource(registry, getSource(source), files))
  }
  if (format === 'register') throw new Error('a register without a source')
  const named = step.sourceName === null ? {} : { sourceName: step.sourceName }
  if (format !== 'csv') return importRegister(registryPath, { ...common, ...named, encoding, format })
  return importRegister(registryPath, {
    ...common,
    ...named,
    format,
    ...settings,
    ...(proposal === null ? {} : toCsvSettings(proposal)),
  })
}

const toCsvSettings = ({ idType, map, country, jurisdiction }: CsvProposal) => ({
  idType: idType ?? 'id',
  map,
  ...dropUndefined({ country: country ?? undefined, jurisdiction: jurisdiction ?? undefined }),
})

function dropUndefined<T extends Readonly<Record<string, unknown>>>(
  settings: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>
  }
}

/** True for an error of the file, not of the registry or the disk. */
function isOfFile({ code }: UserError): boolean {
  return code.startsWith('INPUT_') || code === 'REGISTRY_IMPORT_INVALID'
}

interface LoadStep {
  readonly path: string
  /** Further files of the same edition. */
  readonly morePaths: readonly string[]
  /** `register`: as its source describes it. */
  readonly format: ImportFormat | 'register'
  /** Id of the source of a `register`; `null` for any other format. */
  readonly source: string | null
  /** Size on disk, compressed or not. */
  readonly bytes: number
  /** ISO 8601. The newest file of a source counts, in any order of loading. */
  readonly fileDate: string
  readonly rowEstimate: number | null
  /** Name of the source if it is neither the format nor the file name. */
  readonly sourceName: string | null
  /** Map of the columns of a `csv`; `null` for any other format. */
  readonly proposal: CsvProposal | null
  readonly settings: LoadSettings
  /** How the dates of a `csv` are read, if none shows it. */
  readonly notices: readonly string[]
  /** Unused columns of a `csv` that may have the status, with the command that uses each. */
  readonly overlooked: readonly { readonly column: string; readonly command: string }[]
}

/** Order of imports. Files of registers precede other companies: a merge keeps the older id. */
const order: readonly LoadStep['format'][] = [
  'gleif-authorities',
  'gleif-legal-forms',
  'gleif',
  'companies-house',
  'register',
  'sec-submissions',
  'sec-tickers',
  'csv',
  'sec-sub',
  'lei-cik',
  'gleif-bic',
  'gleif-isin',
  'sec-names',
  'domains',
  'wikidata',
  'gleif-relationships',
]

/** Sorts by format, then by date (older first), then by path. */
function inLoadOrder(steps: readonly LoadStep[]): LoadStep[] {
  return [...steps].sort(
    (a, b) =>
      order.indexOf(a.format) - order.indexOf(b.format) ||
      compareText(a.proposal?.idType ?? '', b.proposal?.idType ?? '') ||
      compareText(a.fileDate, b.fileDate) ||
      compareText(a.path, b.path),
  )
}

/** Companies House publishes its file in parts: as one source, the second part would replace the first. */
function chooseSourceName(format: ImportFormat, fileName: string): string | null {
  const part = /part_?-?(\d{1,3})(?!\d)/i.exec(fileName)?.[1]
  return part === undefined || format === 'csv' ? null : `${format} part ${Number(part)}`
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
