import { open, stat } from 'node:fs/promises'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import type { Encoding } from '../../core/file-formats.js'
import { contentKinds, detectContent, tableLimits, toFileError } from '../../tables/limits-and-errors.js'
import { detectPacking, openOneFile } from '../../tables/text-tables.js'
import { isWorkbook } from '../../tables/xlsx/xlsx-file.js'
import type { FileFormat, ImportItem } from '../model/registry-rows.js'
import { listSources, type RegisterSource } from '../sources/source.js'
import { quoteArgument } from './file-name.js'
import { isHeaderless, type FieldMap } from './find-columns.js'
import { proposeMap, type MapProposal } from './propose-map.js'
import { findPairColumns } from './additions.js'
import { readSample, sampleCharsMax, type FileSample } from './item-thread.js'
import { fileFormats, type FormatName } from './file-formats.js'
import { formatColumns } from './csv-row.js'
import { createMappedFormat } from './mapped-format.js'
import { listColumns } from './mapped-row.js'

/** The format of a file, recognized by its content. */
export type DetectedFile =
  | { readonly kind: 'format'; readonly format: FormatName; readonly rowEstimate: number | null }
  /** A file of a source that columns describe. */
  | { readonly kind: 'source'; readonly source: RegisterSource; readonly rowEstimate: number | null }
  | { readonly kind: 'csv'; readonly proposal: MapProposal; readonly rowEstimate: number | null }
  /** `command`: imports the file after a check by the user. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly command: string | null }

/** Throws only for unreadable files: INPUT_NOT_FOUND, INPUT_UNREADABLE. */
export async function detectFile(path: string, encoding?: Encoding): Promise<DetectedFile> {
  const bytes = await stat(path).then(
    ({ size }) => size,
    (cause: unknown) => {
      throw toFileError(cause, path)
    },
  )
  if (bytes === 0) return toUnknown('it is empty')
  const packing = await detectPacking(path, path)
  if (packing === 'zip') return detectZip(path, encoding)
  let sample: FileSample
  try {
    const content = await detectContent(await openOneFile(path, null))
    if (content !== null && content !== 'zip')
      return toUnknown(`it is ${contentKinds[content].text}: save its table as CSV`)
    sample = await readSample(path, encoding)
  } catch (error) {
    return toUnknown(describeError(error))
  }
  const unpackedBytes = packing === 'gzip' ? await readUnpackedSize(path) : packing === 'plain' ? bytes : null
  return detectText(path, sample, unpackedBytes)
}

async function detectText(path: string, sample: FileSample, bytes: number | null): Promise<DetectedFile> {
  switch (classifyText(sample.text)) {
    case 'empty':
      return toUnknown('it is empty')
    case 'binary':
      return toUnknown('it is not text')
    case 'json':
      return (
        (await findReadable(path, jsonFormats, bytes, sample.encoding)) ??
        (await findSource(path, listJsonSources(), bytes, sample.encoding)) ??
        toUnknown('it is JSON in an unknown format')
      )
    case 'table':
      return detectTable(path, sample, bytes)
  }
}

const jsonFormats = ['wikidata', 'gleif', 'sec-tickers', 'sec-submissions'] as const

async function detectTable(path: string, sample: FileSample, bytes: number | null): Promise<DetectedFile> {
  const { header, rows, text, isWhole } = sample
  if (!isWhole && !/[\r\n]/.test(text)) {
    return toUnknown(`its first line is longer than ${formatCount(sampleCharsMax)} characters`)
  }
  if (header.length < 2) return toUnknown('it is not a table: its first line has no column names')
  const formats = listHeaderFormats(header, rows)
  const found =
    (await findReadable(path, formats, bytes, sample.encoding)) ??
    (await findSource(path, listHeaderSources(header), bytes, sample.encoding))
  if (found !== null) return found
  if (formats[0] !== undefined) {
    return toUnknown(`its columns are those of ${formats[0]}, and its rows cannot be read as such`)
  }
  if (rows.length === 0) return toUnknown('it is a table without rows')
  if (answerColumns.every((column) => header.some((name) => name.endsWith(column))))
    return toUnknown('it is a list with the answers of a run, and no register')
  const proposal = proposeMap(header, rows)
  if (proposal.doubts.length > 0 && isHeaderless(header)) return toUnknown(describeHeaderless(header))
  const [doubt] = proposal.doubts
  if (doubt === undefined) return { kind: 'csv', proposal, rowEstimate: estimate(rows.length, sample, bytes) }
  return {
    kind: 'unknown',
    reason: doubt + formatUnused(proposal.unused),
    command: formatCommand(path, proposal),
  }
}

/** Each output of a run has these columns, with a prefix. */
const answerColumns = ['_status', '_confidence', '_matched_name', '_registration_id']

/** Says that the first row is no header, and what reads such a file. */
export const describeHeaderless = (header: readonly string[]): string =>
  `it has no header: its first row is "${header.join(', ').slice(0, 80)}". Name its columns in "header" of a source file, then: enrich registry get ./NAME.source.json --from PATH`

/** Names the columns that a proposed command does not use. */
export const formatUnused = (unused: readonly string[]): string =>
  unused.length === 0 ? '' : `; not used: ${formatColumns(unused)}`

function estimate(rowCount: number, { text, isWhole }: FileSample, bytes: number | null): number | null {
  if (isWhole) return rowCount
  const lineCount = text.split('\n').length - 1
  return bytes === null ? null : Math.round((lineCount * bytes) / Buffer.byteLength(text))
}

/** The members of a zip suggest a format; the content has to confirm it. */
async function detectZip(path: string, encoding: Encoding | undefined): Promise<DetectedFile> {
  try {
    if (await isWorkbook(path)) {
      const list = await findReadable(path, ['gleif-authorities', 'gleif-legal-forms'], null)
      return list ?? toUnknown('it is an Excel file in an unknown format: save its table as CSV')
    }
    const found = await findReadable(path, ['sec-submissions', 'sec-sub'], null)
    if (found !== null) return found
    return await detectText(path, await readSample(path, encoding), null)
  } catch (error) {
    return toUnknown(describeError(error))
  }
}

/** Enough rows for a decision. */
const trialItemsMax = 500

/** Returns the first format that reads most of the file's first rows. */
async function findReadable(
  path: string,
  formats: readonly FormatName[],
  bytes: number | null,
  encoding?: Encoding,
): Promise<DetectedFile | null> {
  for (const format of formats) {
    const read = await estimateRows(path, fileFormats[format], bytes, encoding)
    if (read !== null) return { kind: 'format', format, rowEstimate: read.rowEstimate }
  }
  return null
}

/** Returns the first source whose columns are those of most of the file's first rows. */
async function findSource(
  path: string,
  sources: readonly RegisterSource[],
  bytes: number | null,
  encoding?: Encoding,
): Promise<DetectedFile | null> {
  for (const source of sources) {
    const read = await estimateRows(path, createMappedFormat(source), bytes, encoding)
    if (read?.hasRegistrations === true) return { kind: 'source', source, rowEstimate: read.rowEstimate }
  }
  return null
}

/** Returns `null` if the format does not read most of the file's first rows. */
async function estimateRows(
  path: string,
  format: FileFormat,
  bytes: number | null,
  encoding?: Encoding,
): Promise<{ readonly rowEstimate: number | null; readonly hasRegistrations: boolean } | null> {
  const trial = await tryReading(path, format, encoding)
  if (trial === null || trial.soundCount * 2 < trial.itemCount || trial.soundCount === 0) return null
  const { itemCount, pieceCount, isWhole, hasRegistrations } = trial
  const readBytes = pieceCount * tableLimits.chunkBytes
  const isSmall = isWhole || (bytes !== null && bytes <= readBytes)
  if (isSmall) return { rowEstimate: itemCount, hasRegistrations }
  const rowEstimate = bytes === null ? null : Math.round((itemCount * bytes) / readBytes)
  return { rowEstimate, hasRegistrations }
}

interface Trial {
  readonly itemCount: number
  readonly soundCount: number
  readonly pieceCount: number
  readonly isWhole: boolean
  /** Whether a row states a registration, or adds to one; otherwise all rows were left out. */
  readonly hasRegistrations: boolean
}

async function tryReading(
  path: string,
  format: FileFormat,
  encoding: Encoding | undefined,
): Promise<Trial | null> {
  const items: ImportItem[] = []
  let pieceCount = 0
  const createTrial = (isWhole: boolean): Trial => ({
    itemCount: items.length,
    soundCount: items.filter(isSound).length,
    pieceCount,
    isWhole,
    hasRegistrations: items.some((item) => /^(?:registration|addition)$/.test(item.kind) && isSound(item)),
  })
  try {
    for await (const piece of format.read(path, { encoding })) {
      const countBefore = items.length
      items.push(...piece)
      if (items.length > countBefore) pieceCount++
      if (items.length >= trialItemsMax) return createTrial(false)
    }
    return createTrial(true)
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

function isSound(item: ImportItem): boolean {
  return item.kind === 'registration' ? item.read.row !== null : item.kind !== 'rejected'
}

const toUnknown = (reason: string): DetectedFile => ({ kind: 'unknown', reason, command: null })

function describeError(error: unknown): string {
  if (error instanceof UserError)
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`
  throw error
}

/** The end of a gzip file has the length of its text, up to four gigabytes. */
async function readUnpackedSize(path: string): Promise<number> {
  const { size } = await stat(path)
  const end = await readBytesAt(path, size - 4, 4)
  return end.length === 4 ? end.readUInt32LE(0) : 0
}

async function readBytesAt(path: string, position: number, length: number): Promise<Buffer> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, position))
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

/**
 * Returns the formats with these columns, most likely first; the rows have to confirm them. Maps between identifiers
 * must have exactly these columns: files of companies may have them among others.
 */
function listHeaderFormats(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly FormatName[] {
  const names = new Set(header.map((name) => name.trim().toLowerCase()))
  const has = (...wanted: string[]) => wanted.every((name) => names.has(name))
  if (has('lei', 'entity.legalname')) return ['gleif']
  if (has('relationship.startnode.nodeid', 'relationship.endnode.nodeid', 'relationship.relationshiptype'))
    return ['gleif-relationships']
  if (has('registration authority code')) return ['gleif-authorities']
  if (has('elf code', 'entity legal form name local name')) return ['gleif-legal-forms']
  if (has('companyname', 'companynumber') && header.some((name) => /^\s*regaddress\./i.test(name)))
    return ['companies-house']
  if (has('adsh', 'cik', 'name', 'filed')) return ['sec-sub']
  if (has('lei', 'bic') && names.size === 2) return ['gleif-bic']
  if (has('lei', 'isin') && names.size === 2) return ['gleif-isin']
  if (has('domain', 'company') && names.size === 2) return ['domains']
  if (has('cik', 'alias') && names.size === (names.has('kind') ? 3 : 2)) return ['sec-names']
  if (has('item', 'itemlabel') && (names.has('lei') || names.has('cik') || names.has('companynumber')))
    return ['wikidata']
  return isPairOfIds(header, rows) ? ['lei-cik'] : []
}

/** The sources that columns describe, and `registry load` does not know under another name. */
const listMappedSources = (): readonly RegisterSource[] =>
  listSources().filter(
    ({ id, tables }) => !(id in fileFormats) && tables.every(({ reader }) => reader === undefined),
  )

/** Lists the sources of which a table has all its columns in this header. */
function listHeaderSources(header: readonly string[]): readonly RegisterSource[] {
  const names = new Set(header.map((name) => name.trim().toLowerCase()))
  return listMappedSources().filter(({ tables }) =>
    tables.some((table) => {
      const optional = new Set(table.optional ?? [])
      const isDelimited = table.format === 'delimited' && table.header === undefined
      const columns = listColumns(table).filter((column) => !optional.has(column))
      return isDelimited && columns.every((column) => names.has(column.trim().toLowerCase()))
    }),
  )
}

const listJsonSources = (): readonly RegisterSource[] =>
  listMappedSources().filter(({ tables }) => tables.some(({ format }) => format.startsWith('json')))

/** In addition to the two ids, such a map may only have a name for each side. */
function isPairOfIds(header: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const pair = findPairColumns(header, rows)
  if (pair === null) return false
  const others = header.filter((name) => name !== pair.lei && name !== pair.cik)
  if (others.some((name) => !/name$/i.test(name))) return false
  return !others.some((name) => /^(?:name|legal_?name|company_?name|entity_?name)$/i.test(name))
}

function classifyText(text: string): 'empty' | 'binary' | 'json' | 'table' {
  if (text.trim() === '') return 'empty'
  const controls = text.slice(0, textLookedAt).replace(noControls, '').length
  if (text.includes('\0') || controls > 0.01 * Math.min(text.length, textLookedAt)) return 'binary'
  return /^\s*[[{]/.test(text) ? 'json' : 'table'
}

const textLookedAt = 20_000

/** Everything except control characters and replacement characters. */
// oxlint-disable-next-line no-control-regex
const noControls = /[^\0-\x08\x0b\x0e-\x1f\ufffd]/g

/** Flags of the command that imports a file. */
export interface ImportFlags extends Pick<MapProposal, 'country' | 'jurisdiction'> {
  /** Type of the ids, also a word of the user; `null` if unknown. */
  readonly idType: string | null
  readonly map: Readonly<Record<string, string>>
}

/**
 * Formats the command that imports the file this way; COLUMN and CODE are placeholders for the user. The type of the ids
 * is part of the ids in the registry, so the command always states it.
 */
export function formatCommand(path: string, { idType, map, country, jurisdiction }: ImportFlags): string {
  const needed: FieldMap = {
    ...(map.id === undefined && { id: 'COLUMN' }),
    ...(map.name === undefined && { name: 'COLUMN' }),
  }
  const isCompanyNumber = (idType ?? 'registration_id') === 'registration_id'
  const isPlaceOpen = isCompanyNumber && (map.jurisdiction ?? map.country ?? country ?? null) === null
  const place = jurisdiction ?? (isPlaceOpen ? 'CODE' : null)
  const fields = Object.entries({ ...needed, ...map }).flatMap(([field, columns]) =>
    columns.split(',').map((column) => `${field}=${column}`),
  )
  const flags = [
    `--id-type ${idType ?? 'registration_id'}`,
    `--map ${quoteArgument(fields.join(','))}`,
    ...(country === null ? [] : [`--country ${country}`]),
    ...(place === null ? [] : [`--jurisdiction ${place}`]),
  ]
  return `enrich registry import csv ${quoteArgument(path)} ${flags.join(' ')}`
}
