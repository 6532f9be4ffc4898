import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '../../../core/errors.js'
import { fileError } from '../../../tables/file-error.js'
import { type ImportResult, fileDateMs, type ImportOptions } from '../run-import.js'
import { importCsvInto } from '../import-csv.js'
import { importFileInto, type FormatName } from '../import-file.js'
import { detectFile } from './detect-file.js'
import type { MapProposal } from '../propose-map.js'

/** What is to be loaded, in order, and what is left out. */
export interface LoadPlan {
  readonly steps: readonly LoadStep[]
  readonly leftOut: readonly LeftOut[]
}

interface LeftOut {
  readonly path: string
  readonly reason: string
  /** Imports it all the same. */
  readonly command: string | null
}

const filesMax = 10_000

/** Looks at files and at those in folders. Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE, USAGE_INVALID. */
export async function planLoad(paths: readonly string[], signal?: AbortSignal): Promise<LoadPlan> {
  const steps: LoadStep[] = []
  const leftOut: LeftOut[] = []
  for (const path of await filesOf(paths)) {
    signal?.throwIfAborted()
    const detected = await detectFile(path)
    if (detected.kind === 'unknown') {
      leftOut.push({ path, reason: detected.reason, command: detected.command })
      continue
    }
    const format = detected.kind === 'csv' ? 'csv' : detected.format
    const { mtimeMs, size } = await stat(path)
    steps.push({
      path,
      bytes: size,
      format,
      fileDate: new Date(fileDateMs(basename(path), mtimeMs)).toISOString(),
      rowEstimate: detected.rowEstimate,
      sourceName: sourceNameOf(format, basename(path)),
      proposal: detected.kind === 'csv' ? detected.proposal : null,
    })
  }
  return { steps: inLoadOrder(steps), leftOut }
}

async function filesOf(paths: readonly string[]): Promise<string[]> {
  const files = new Set<string>()
  const add = async (path: string, isNamed: boolean): Promise<void> => {
    const found = await stat(path).catch((error: unknown) => {
      throw fileError(error, path)
    })
    if (found.isDirectory()) {
      const names = await readdir(path)
      for (const name of names.sort()) if (!name.startsWith('.')) await add(join(path, name), false)
    } else if (found.isFile() || isNamed) files.add(path)
    if (files.size > filesMax) {
      throw new UserError('USAGE_INVALID', `there are more than ${filesMax} files`, {
        hint: 'name the files or the folders that are meant',
      })
    }
  }
  for (const path of paths) await add(path, true)
  return [...files]
}

export interface LoadedFile {
  readonly step: LoadStep
  readonly result: ImportResult | null
  /** Why it was not loaded; the registry is as it was before it. */
  readonly error: UserError | null
}

export interface LoadHooks {
  readonly onBegun?: (step: LoadStep) => void
  readonly onProgress?: (rowCount: number) => void
  readonly onLoaded?: (file: LoadedFile) => void
  readonly signal?: AbortSignal
}

/**
 * Imports the files of a plan, each in a transaction of its own: one that cannot be imported leaves the registry
 * as it was before it, and the others are loaded all the same. Errors: those of `openRegistry`; the signal's reason.
 */
export async function loadInto(
  registryPath: string,
  plan: LoadPlan,
  { onBegun, onProgress, onLoaded, signal }: LoadHooks,
): Promise<LoadedFile[]> {
  const loaded: LoadedFile[] = []
  for (const step of plan.steps) {
    const common = { path: step.path, dateMs: Date.parse(step.fileDate), ...given({ onProgress, signal }) }
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
  const { format, proposal } = step
  const named = step.sourceName === null ? {} : { sourceName: step.sourceName }
  if (format !== 'csv') return importFileInto(registryPath, { ...common, ...named, format })
  return importCsvInto(registryPath, {
    ...common,
    ...named,
    idType: proposal?.idType ?? 'id',
    ...given({
      map: proposal?.map,
      country: proposal?.country ?? undefined,
      jurisdiction: proposal?.jurisdiction ?? undefined,
    }),
  })
}

/** What is there of optional settings. */
function given<T extends Readonly<Record<string, unknown>>>(
  settings: T,
): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>
  }
}

/** Of the file, and not of the registry or the disk. */
function isOfFile({ code }: UserError): boolean {
  return code.startsWith('INPUT_') || code === 'REGISTRY_IMPORT_INVALID'
}

/** A file that is to be loaded. */
export interface LoadStep {
  readonly path: string
  readonly format: 'csv' | FormatName
  /** The size of the file as it is on disk, packed or not. */
  readonly bytes: number
  /** ISO 8601: of files of one source the newest counts, whichever is loaded last. */
  readonly fileDate: string
  readonly rowEstimate: number | null
  /** What the source is called, where that is not the format's or the file's name. */
  readonly sourceName: string | null
  /** How the columns of a `csv` are read; null for any other format. */
  readonly proposal: MapProposal | null
}

/**
 * Lists of codes, then companies, then what adds to companies, then who owns whom. Among companies the registers'
 * own files come first: of two that turn out to be one the older id stays.
 */
const order: readonly LoadStep['format'][] = [
  'gleif-authorities',
  'gleif-legal-forms',
  'gleif',
  'companies-house',
  'sec-submissions',
  'sec-tickers',
  'csv',
  'sec-sub',
  'lei-cik',
  'gleif-bic',
  'gleif-isin',
  'sec-names',
  'wikidata',
  'gleif-relationships',
]

/** In the order in which they are loaded: by kind, then the older file, then whatever tells them apart. */
function inLoadOrder(steps: readonly LoadStep[]): LoadStep[] {
  return [...steps].sort(
    (a, b) =>
      order.indexOf(a.format) - order.indexOf(b.format) ||
      compared(a.proposal?.idType ?? '', b.proposal?.idType ?? '') ||
      compared(a.fileDate, b.fileDate) ||
      compared(a.path, b.path),
  )
}

/** Companies House publishes its file in parts: each is a source, or the second would take the first one's place. */
function sourceNameOf(format: LoadStep['format'], fileName: string): string | null {
  const part = /part_?-?(\d{1,3})(?!\d)/i.exec(fileName)?.[1]
  return part === undefined || format === 'csv' ? null : `${format} part ${Number(part)}`
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
