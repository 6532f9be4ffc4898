import { UserError } from '../../core/errors.js'
import { CsvScanner, openText, type LocatedRecord } from '../../tables/text-tables.js'
import type { Decision } from '../../core/decisions.js'
import {
  decisionColumns,
  formatDecisionLine,
  parseDecision,
  decisionsHeader,
  createInvalidLineError,
  type DecisionColumn,
} from './decision-lines.js'

export interface ReadDecisions {
  /** In file order, for all services. */
  readonly decisions: readonly Decision[]
  /** Notices for the user, for example about a detected encoding. */
  readonly notices: readonly string[]
  /** Whether lines can be appended, because the file has the form that this program writes. */
  readonly isPlain: boolean
}

/**
 * Reads the bytes of a decisions file. `unwritten`: decisions that a killed process may have been writing; a partial
 * line of one of them at the end is ignored. Throws DECISIONS_INVALID and DECISIONS_CONFLICT.
 */
export async function readDecisions(
  path: string,
  bytes: Buffer,
  unwritten: readonly Decision[],
): Promise<ReadDecisions> {
  const whole = removeTornLine(bytes, unwritten)
  const { text, notices } = await readText(path, whole)
  const isPlain = whole.length === bytes.length && text.startsWith(decisionsHeader) && text.endsWith('\n')
  const located = readRecords(path, text).map(({ line, cells }) => ({
    line,
    decision: parseDecision(path, { line, cells }),
  }))
  assertNoConflicts(path, located)
  return { decisions: located.map(({ decision }) => decision), notices, isPlain }
}

function removeTornLine(bytes: Buffer, unwritten: readonly Decision[]): Buffer {
  if (unwritten.length === 0) return bytes
  const scanner = new CsvScanner({ delimiter: ',', quoted: true, keepsRagged: true }, () => null)
  // One character a byte, because a line may end within a character.
  scanner.push(bytes.toString('latin1'))
  const tail = Buffer.from(scanner.rest, 'latin1')
  const isTorn =
    tail.length > 0 &&
    unwritten.some((decision) => {
      const line = Buffer.from(formatDecisionLine(decision))
      return tail.length < line.length && line.subarray(0, tail.length).equals(tail)
    })
  return isTorn ? bytes.subarray(0, bytes.length - tail.length) : bytes
}

async function readText(path: string, bytes: Buffer): Promise<{ text: string; notices: string[] }> {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    throw createInvalidFileError(
      path,
      'it is a spreadsheet, not a CSV',
      'import it with enrich review --import',
    )
  try {
    const source = await openText({ label: path, bytes: () => yieldBytes(bytes) }, undefined)
    const pieces: string[] = []
    for await (const piece of source.pieces()) pieces.push(piece)
    const notice = `${path}: not UTF-8, read as ${source.encoding}; save it as UTF-8 if names look wrong`
    return { text: pieces.join(''), notices: source.notice === null ? [] : [notice] }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const isEmpty = error.code === 'INPUT_EMPTY'
    throw createInvalidFileError(
      path,
      isEmpty ? 'it is empty' : error.message.replaceAll(path, 'it'),
      isEmpty ? 'restore it, or remove it' : 'save it as a CSV in UTF-8',
      error,
    )
  }
}

// oxlint-disable-next-line typescript/require-await -- sources of bytes are asynchronous
async function* yieldBytes(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Excel's first line, which names the delimiter. */
const separatorLine = /^"?sep=(.)"?(?:\r\n|\n|\r)/i

interface LineCells {
  readonly line: number
  readonly cells: Record<DecisionColumn, string>
}

/** Returns the records below the header, by column, without blank lines. */
function readRecords(path: string, text: string): LineCells[] {
  const separator = separatorLine.exec(text)
  const below = separator === null ? text : text.slice(separator[0].length)
  const linesAbove = separator === null ? 0 : 1
  let columns: readonly DecisionColumn[] = []
  const scanner = new CsvScanner(
    { delimiter: separator?.[1] ?? detectDelimiter(below), quoted: true, keepsRagged: true, linesAbove },
    (header) => {
      assertNoMarker(path, linesAbove + 1, header)
      columns = parseColumns(path, header)
      return null
    },
  )
  const records = [...scanner.push(below), ...scanner.end()]
  if (columns.length === 0) throw createInvalidFileError(path, 'it has no header', 'restore it, or remove it')
  const isCut = !/[\r\n]$/.test(text)
  return records.flatMap((record, index) => {
    assertWhole(path, record, columns.length, isCut && index === records.length - 1)
    if (record.cells.every((cell) => cell.trim() === '')) return []
    const cells = Object.fromEntries(columns.map((column, at) => [column, record.cells[at] ?? '']))
    return { line: record.line, cells: cells as LineCells['cells'] }
  })
}

/** Chooses the delimiter with which most columns of the header are known. */
function detectDelimiter(text: string): string {
  const [header = ''] = text.split(/[\r\n]/, 1)
  const known = (delimiter: string) =>
    header.split(delimiter).filter((cell) => isColumn(cell.replaceAll('"', '').trim())).length
  return [',', ';', '\t'].reduce((best, one) => (known(one) > known(best) ? one : best))
}

const isColumn = (name: string): name is DecisionColumn => decisionColumns.some((column) => column === name)

function parseColumns(path: string, header: readonly string[]): DecisionColumn[] {
  const names = header.map((cell) => cell.trim())
  const listed = `its columns are ${decisionColumns.join(', ')}`
  const columns = names.map((name) => {
    if (isColumn(name)) return name
    throw createInvalidLineError(
      path,
      1,
      name === '' ? 'a column has no name' : `it has an unknown column ${name}`,
      listed,
    )
  })
  const missing = decisionColumns.filter((column) => !columns.includes(column))
  if (missing.length > 0)
    throw createInvalidLineError(path, 1, `it has no column ${missing.join(', ')}`, listed)
  if (columns.length > decisionColumns.length)
    throw createInvalidLineError(path, 1, 'it has a column twice', listed)
  return columns
}

/** Conflict markers of git at the start of a line. */
const conflictMarker = /^(?:<{7}|\|{7}|={7}|>{7})(?: |$)/

function assertNoMarker(path: string, line: number, [first = '']: readonly string[]): void {
  if (!conflictMarker.test(first)) return
  throw createInvalidLineError(
    path,
    line,
    'it contains a git merge conflict',
    'keep the valid lines of both sides, and remove the markers',
  )
}

/** Spreadsheets omit empty cells at the end of a line. */
function assertWhole(path: string, record: LocatedRecord, columnCount: number, isCut: boolean): void {
  const { line, cells, reason } = record
  assertNoMarker(path, line, cells)
  if (reason !== null) throw createInvalidLineError(path, line, reason, 'restore the line')
  if (cells.length > columnCount || (isCut && cells.length < columnCount)) {
    const has = `it has ${cells.length} cells where the header has ${columnCount}`
    throw createInvalidLineError(
      path,
      line,
      isCut ? `${has}, and the file ends there` : has,
      'restore the line',
    )
  }
}

interface LocatedDecision {
  readonly line: number
  readonly decision: Decision
}

/** Checks for conflicting decisions. A decision without a service applies to all services. */
function assertNoConflicts(path: string, located: readonly LocatedDecision[]): void {
  const byLookup = new Map<string, LocatedDecision[]>()
  for (const one of located) {
    const others = byLookup.get(one.decision.lookup)
    if (others === undefined) {
      byLookup.set(one.decision.lookup, [one])
      continue
    }
    const other = others.find(({ decision }) => isConflicting(decision, one.decision))
    if (other !== undefined) throw createConflictError(path, other, one)
    others.push(one)
  }
}

function isConflicting(one: Decision, other: Decision): boolean {
  const isOfOne = one.service === null || other.service === null || one.service === other.service
  return isOfOne && (one.verdict !== other.verdict || one.entityId !== other.entityId)
}

function createConflictError(path: string, one: LocatedDecision, other: LocatedDecision): UserError {
  const describeLine = ({ line, decision }: LocatedDecision) =>
    `line ${line} says ${decision.verdict === 'none' ? 'none' : (decision.entityId ?? '')} (${decision.decidedBy})`
  return new UserError(
    'DECISIONS_CONFLICT',
    `two verdicts for one lookup (${one.decision.name}) in the decisions file ${path}: ${describeLine(one)}, ${describeLine(other)}`,
    { hint: 'remove the wrong line' },
  )
}

export function createInvalidFileError(
  path: string,
  message: string,
  hint: string,
  cause?: unknown,
): UserError {
  return new UserError('DECISIONS_INVALID', `the decisions file ${path}: ${message}`, { hint, cause })
}
