import { existsSync, statSync } from 'node:fs'
import { once, on } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker, type MessagePort } from 'node:worker_threads'
import { receiveError, sendError, UserError, type SentError } from '../../core/errors.js'
import type { Encoding } from '../../core/file-formats.js'
import { openDelimited, openOneFile, openText, type TextSource } from '../../tables/text-tables.js'
import { codeFolder } from '../../platform/native-package.js'
import type { ImportItem, ItemPiece, ReadOptions, RegistryRow, RowAddress } from '../model/registry-rows.js'
import { deriveRow, type DerivedRow, type StoredName } from '../store/registration-columns.js'

/** An item, and for a registration what its columns are computed from, if a thread has computed it. */
export type ReadItem = ImportItem & { readonly derived?: DerivedRow }

/** Reads the items of a request. A request is plain data, so that a thread can receive it. */
export type ItemReader<Request> = (
  request: Request,
  options: Pick<ReadOptions, 'onNotice'>,
) => AsyncIterable<ItemPiece>

export interface ThreadedReading<Request> extends Pick<ReadOptions, 'onNotice'> {
  readonly paths: readonly string[]
  readonly request: Request
  /** The rows are stored as they are, not merged with others: what is computed of one row alone is computed. */
  readonly derives: boolean
  readonly read: ItemReader<Request>
}

/** A thread costs half a second until its code is compiled. */
const threadBytesMin = 8_000_000

/**
 * Reads the items of files. Large files are read by a thread of its own, which parses and computes while this one
 * writes. Errors: those of `read`.
 */
export function readItems<Request>(reading: ThreadedReading<Request>): AsyncIterable<Iterable<ReadItem>> {
  const { paths, request, read, onNotice } = reading
  const bytes = paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0)
  const code = new URL('registry/import/item-worker.js', codeFolder)
  const isThreaded =
    bytes >= threadBytesMin &&
    availableParallelism() > 1 &&
    code.protocol === 'file:' &&
    existsSync(fileURLToPath(code))
  return isThreaded ? readInThread(code, reading) : read(request, { onNotice })
}

/** Data of a new thread. */
export interface ItemTask<Request> {
  readonly request: Request
  readonly derives: boolean
}

/** `items`: JSON text, because cloning deep objects takes several times as long. */
type ItemMessage =
  | { readonly kind: 'items'; readonly items: string }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'error'; readonly error: SentError }
  | { readonly kind: 'end' }

/** Batches that the thread may be ahead, which bounds the memory. */
const batchesAheadMax = 8

/** Objects of a small batch are garbage before the collector would have to move them. */
const batchItemsMax = 250

/** Splits a piece into batches. Items of one batch are of one shape. */
function* listBatches(piece: ItemPiece): Generator<ImportItem[]> {
  let batch: ImportItem[] = []
  let batchShape = ''
  for (const item of piece) {
    const row = getPlainRow(item)
    const shape = row === null ? '' : Object.keys(row).join()
    if (batch.length > 0 && (shape !== batchShape || batch.length >= batchItemsMax)) {
      yield batch
      batch = []
    }
    batchShape = shape
    batch.push(item)
  }
  if (batch.length > 0) yield batch
}

async function* readInThread<Request>(
  code: URL,
  { request, derives, onNotice }: ThreadedReading<Request>,
): AsyncGenerator<Iterable<ReadItem>> {
  const worker = new Worker(code, {
    name: 'importer',
    workerData: { request, derives } satisfies ItemTask<Request>,
  })
  try {
    for await (const [message] of on(worker, 'message', { close: ['exit'] }) as AsyncIterable<
      [ItemMessage]
    >) {
      switch (message.kind) {
        case 'notice':
          onNotice?.(message.text)
          break
        case 'error':
          throw receiveError(message.error)
        case 'end':
          return
        case 'items':
          yield unpackItems(JSON.parse(message.items) as PackedItems)
          worker.postMessage(null)
      }
    }
    throw new Error('the thread that reads the file ended before the file did')
  } finally {
    await worker.terminate()
  }
}

/** Answers `readInThread`, in the thread. */
export async function sendItems<Request>(
  port: MessagePort,
  { request, derives }: ItemTask<Request>,
  read: ItemReader<Request>,
): Promise<void> {
  const send = (message: ItemMessage) => {
    port.postMessage(message)
  }
  let aheadCount = 0
  port.on('message', () => aheadCount--)
  try {
    const onNotice = (text: string) => {
      send({ kind: 'notice', text })
    }
    for await (const piece of read(request, { onNotice })) {
      for (const items of listBatches(piece)) {
        send({ kind: 'items', items: JSON.stringify(derives ? packItems(items) : items) })
        aheadCount++
        while (aheadCount >= batchesAheadMax) await once(port, 'message')
      }
    }
    send({ kind: 'end' })
  } catch (error) {
    send({ kind: 'error', error: sendError(error) })
  }
}

/** Returns the row of a registration that is stored unchanged; otherwise `null`. */
const getPlainRow = (item: ImportItem): RegistryRow | null =>
  item.kind === 'registration' && item.statedOn === null ? item.read.row : null

/**
 * Objects with the same members. Names of members and repeated values would take most of the time of reading JSON, so
 * there is one list for each member, or its one value.
 */
interface Columns {
  readonly keys: readonly string[]
  readonly columns: readonly (readonly unknown[] | { readonly all: unknown })[]
}

function toColumns(values: readonly object[]): Columns {
  const keys = Object.keys(values[0] ?? {})
  const columns = keys.map((key) => {
    const column = values.map((value) => (value as Record<string, unknown>)[key])
    return column.every((one) => one === column[0]) ? { all: column[0] } : column
  })
  return { keys, columns }
}

/** Returns a function that makes the next object. */
function fromColumns({ keys, columns }: Columns): () => object {
  let at = -1
  return () => {
    at++
    const value: Record<string, unknown> = {}
    for (const [number, key] of keys.entries()) {
      const column = columns[number]
      value[key] = column !== undefined && 'all' in column ? column.all : column?.[at]
    }
    return value
  }
}

/** Registrations of a batch, with what is computed of their rows. */
interface PackedRegistrations {
  readonly lines: readonly number[]
  readonly dropped: readonly (readonly string[])[]
  readonly rows: Columns
  readonly addresses: Columns
  readonly derived: Columns
  /** One for each name of each row, in order. */
  readonly parsedNames: Columns
}

type PackedItems = readonly ImportItem[] | PackedRegistrations

function packItems(items: readonly ImportItem[]): PackedItems {
  const rows = items.map(getPlainRow).filter((row) => row !== null)
  if (rows.length < items.length) return items
  const derived = rows.map(deriveRow)
  return {
    lines: items.map(({ line }) => line),
    dropped: items.map((item) => (item.kind === 'registration' ? item.read.dropped : [])),
    rows: toColumns(rows.map((row) => ({ ...row, address: null }))),
    addresses: toColumns(rows.map(({ address }) => address)),
    derived: toColumns(derived.map((one) => ({ ...one, parsedNames: null }))),
    parsedNames: toColumns(derived.flatMap(({ parsedNames }) => parsedNames)),
  }
}

function unpackItems(packed: PackedItems): Iterable<ReadItem> {
  if (!('rows' in packed)) return packed
  const takeRow = fromColumns(packed.rows) as () => RegistryRow
  const takeAddress = fromColumns(packed.addresses) as () => RowAddress
  const takeDerived = fromColumns(packed.derived) as () => DerivedRow
  const takeName = fromColumns(packed.parsedNames) as () => StoredName
  const numbered = packed.lines.entries()
  return mapEach(numbered, ([at, line]): ReadItem => {
    const row = { ...takeRow(), address: takeAddress() }
    const derived = { ...takeDerived(), parsedNames: row.names.map(takeName) }
    const read = { row, reason: null, dropped: packed.dropped[at] ?? [] }
    return { kind: 'registration', line, read, statedOn: null, derived }
  })
}

/** Makes the results one by one, so that they are garbage at once. */
export function* mapEach<Value, Result>(
  values: Iterable<Value>,
  make: (value: Value) => Result,
): Generator<Result> {
  for (const value of values) yield make(value)
}

/** The beginning of a file. */
export interface FileSample {
  readonly encoding: Encoding
  /** The text read so far; the whole file if `isWhole`. */
  readonly text: string
  readonly isWhole: boolean
  /** Column names and rows of a table; empty for any other file. */
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Characters that are read from a file for detection. */
export const sampleCharsMax = 262_144
/** Limit of rows for detection. */
const sampleRowsMax = 2_000

/** Errors: those of reading files, and REGISTRY_IMPORT_INVALID for a zip with several files. */
export async function readSample(path: string, given?: Encoding): Promise<FileSample> {
  const file = await openOneFile(path, null)
  const source = await openText(file, given).catch(returnNullIfEmpty)
  if (source === null) return { encoding: 'utf-8', text: '', isWhole: true, header: [], rows: [] }
  const { encoding } = source
  const { text, isWhole } = await readHead(source)
  const isTable = /[\r\n]/.test(text) && !/^\s*[[{]/.test(text)
  return {
    encoding,
    text,
    isWhole,
    ...(isTable ? await readTable(path, encoding) : { header: [], rows: [] }),
  }
}

function returnNullIfEmpty(error: unknown): null {
  if (error instanceof UserError && error.code === 'INPUT_EMPTY') return null
  throw error
}

async function readHead(source: TextSource): Promise<{ text: string; isWhole: boolean }> {
  let text = ''
  for await (const piece of source.pieces()) {
    text += piece
    if (text.length > sampleCharsMax) return { text: text.slice(0, sampleCharsMax), isWhole: false }
  }
  return { text, isWhole: true }
}

async function readTable(path: string, encoding: Encoding): Promise<Pick<FileSample, 'header' | 'rows'>> {
  const table = await openDelimited(await openOneFile(path, null), { encoding })
  let header: readonly string[] = []
  const rows: (readonly string[])[] = []
  const choose = (names: readonly string[]) => {
    header = names.map((name) => name.trim())
    return null
  }
  for await (const records of table.scan(choose)) {
    for (const { cells, reason } of records)
      if (reason === null && rows.length < sampleRowsMax) rows.push(cells)
    if (rows.length >= sampleRowsMax) break
  }
  return { header, rows }
}
