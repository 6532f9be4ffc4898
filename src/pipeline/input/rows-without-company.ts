import headerWords from '../../core/headers.json' with { type: 'json' }
import { isKnownHeader, parsePlaceHeader } from '../../core/header-words.js'
import { listIdentifierColumns } from '../../core/identifiers.js'
import { foldLetters, plural, quoteExcerpt, toSpellingKey } from '../../core/text.js'
import { hasLegalForm } from './column-content.js'
import { listLookupColumns, type LookupColumns, type LookupRule } from './columns.js'
import type { TextRow } from './input.js'
import type { RowIndex } from './row-index.js'
import type { RowQuestion } from './row-question.js'

/** Why rows that are headers are not looked up. */
export const repeatedHeaders = {
  same: 'the row repeats the header',
  other: 'the row is a header with other columns',
} as const

/** Why rows with a total, and footers of a page, are not looked up. */
export const totalRow = 'the row has a total instead of a company'
export const reportRow = 'the row has a line of a report instead of a company'

export type InvalidRow = Extract<RowQuestion, { kind: 'invalid' }>

/** Folds a word of a total; the Turkish letters `İ` and `ı` are an `i`. */
const toTotalKey = (text: string): string => toSpellingKey(text).replace(/i\u0307|ı/gu, 'i') || text
const toTotalKeys = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => list.split('|').map(toTotalKey)))

/** Long words are also written without their accents. */
const plainCharsMin = 8
const reportWords = Object.fromEntries(
  Object.entries(headerWords.reportLines).map(([kind, list]) => {
    const keys = [...toTotalKeys([list])]
    return [
      kind,
      new Set([...keys, ...keys.map(foldLetters).filter(({ length }) => length >= plainCharsMin)]),
    ]
  }),
)
/** First two letters of lines for signatures. */
const signedStarts = new Set(Array.from(reportWords['signed'] ?? [], (key) => key.slice(0, 2)))
const fullDate = new RegExp(headerWords.dates.full, 'u')
/** The last line of a list: `Hà Nội, ngày 30 tháng 11 năm 2026`, `Zagreb, 30.11.2026`. */
const townAndDate = new RegExp(headerWords.dates.behindTown.replace('DATE', headerWords.dates.full), 'u')
const copyright = /(?:©|\(c\))\s*(?:19|20)\p{Nd}{2}(?!\p{Nd})|^copyright\s*(?:©|\(c\))/iu

const isReportWord = (kind: keyof typeof headerWords.reportLines, text: string): boolean =>
  reportWords[kind]?.has(toTotalKey(text)) === true

/** Whether a text is a line of a printed report: `Page 3 of 7`, `Printed on 1.2.2026`, `© 2024 Norvane Inc.`. */
function isReportLine(text: string, isFree: boolean): boolean {
  const bare = text.replace(/^(?:[^\p{L}\p{N}©(]|x{3,}(?!x))+|(?:[^\p{L}\p{M}\p{N})]|(?<!x)x{3,})+$/gu, '')
  const isVague = isFree && (isReportWord('vague', bare) || isReportWord('marks', bare))
  if (copyright.test(bare) || isReportWord('sure', bare) || isVague) return true
  const numbers = bare.match(/\p{Nd}+/gu)?.length ?? 0
  if (numbers === 0) return false
  const words = bare.split(/[^\p{L}\p{M}'’]+/u).filter((word) => word !== '')
  const isPage = words.some((word) => isReportWord('pages', word))
  if (isPage && words.every((word) => isReportWord('pages', word) || isReportWord('pageLinks', word)))
    return numbers === 2 || (numbers === 1 && isFree && words.length === 1)
  const isDated = [1, 2, 3, 4].some((count) => isReportWord('dated', words.slice(0, count).join('')))
  const hasDate = (isFree && townAndDate.test(bare)) || (isDated && fullDate.test(bare))
  return hasDate && !hasLegalForm(bare.replace(fullDate, ''))
}

/** Finds rows that repeat the header, as in joined files. Case, spaces and punctuation do not count. */
export function createHeaderFinder({ columns }: LookupRule): (row: TextRow) => InvalidRow | null {
  const headers = listLookupColumns(columns)
  // A header of signs, `〒` or `%`, has no letter in its spelling.
  const toKey = (text: string) => toSpellingKey(text) || text.trim()
  const keys = headers.map(toKey)
  const known = new Set(keys)
  const initials = new Set([...headers, ...keys].map(getInitial))
  const charsMax = Math.max(...keys.map(({ length }) => length)) * 3
  return (row) => {
    const [first = null] = row
    // Cheap, since it is called for every row.
    if (first === null || first.length > charsMax || !initials.has(getInitial(first))) return null
    const firstKey = toKey(first)
    if (!known.has(firstKey)) return null
    const cells = row.flatMap((cell, at) => {
      const key = toKey(cell ?? '')
      return key === '' ? [] : [{ cell: cell ?? '', isOwn: key === keys[at], isOther: known.has(key) }]
    })
    if (cells.every(({ isOwn }) => isOwn)) return { kind: 'invalid', reason: repeatedHeaders.same }
    const isHeader = firstKey === keys[0] || cells.length > 1
    const isOther = isHeader && cells.every(({ cell, isOther }) => isOther || isKnownHeader(cell))
    return isOther ? { kind: 'invalid', reason: repeatedHeaders.other } : null
  }
}

/** Words for totals: `vague` ones are names of companies too, a town or a group follows the `partial` ones, `units` are also short. */
const totals = toTotalKeys(headerWords.totals.sure)
const vagueTotals = toTotalKeys(headerWords.totals.vague)
const partialTotals = toTotalKeys([headerWords.totals.partial])
const pieces = toTotalKeys([headerWords.totals.units])
const [markCharsMax, totalCharsMax] = [20, 100]
/** Units that a total counts, and currencies. */
const counted: ReadonlySet<string> = new Set([
  ...pieces,
  ...toTotalKeys([headerWords.totals.counted]),
  ...Intl.supportedValuesOf('currency').map(toTotalKey),
])

/** Finds rows with a total instead of a name: `Total`, `Summe: 24`, `(24 rows)`, `TOTAL PROVEEDORES: 35`, `Sous-total Tunis`. */
export function createTotalFinder({
  columns: { name, location, context, identifiers, country = '' },
}: LookupRule): (row: TextRow) => InvalidRow | null {
  const isAlone = location.length === 0 && listIdentifierColumns(identifiers).length === 0
  const parts = location.map((column) => parsePlaceHeader(column)?.part)
  const numbersFrom = location.length + context.length
  return (row) => {
    const others = name === null ? row : row.slice(1)
    const text = (name === null ? '' : row[0]) || (others.find((cell) => cell) ?? '')
    // The count of the rows may be in another column: `Total | 33 customers`. No town is a number, but regions and countries have numbers.
    const isBlank = (cell: string, at: number) =>
      cell === '' ||
      cell === text ||
      (at >= numbersFrom && shortCount.test(cell)) ||
      (/^\p{Nd}+ \p{L}/u.test(cell) && isTotal(cell, true))
    const isEmpty = (cell: string, at: number) =>
      isBlank(cell, at) || (at < parts.length && parts[at] !== 'postal' && /^\p{Nd}{1,4}$/u.test(cell))
    if (text === '' || text.length > totalCharsMax) return null
    const isInPlace = name !== null && isMark(row[0] ?? '', [...others, country])
    const isOfCompany = others.some((cell) => ofCompany.test((cell ?? '').replace(fullDate, '')))
    const isLine = isSigned(text) && (signatureSign.test(text) || !isOfCompany)
    const isReport = isInPlace || isLine || isReportWord('asAbove', text)
    if (isReport) return { kind: 'invalid', reason: reportRow }
    if (!others.every((cell, at) => isEmpty(cell ?? '', at))) return null
    const isFree = !isAlone && others.every((cell, at) => isBlank(cell ?? '', at) || parts[at] === 'city')
    if (isTotal(text, isFree)) return { kind: 'invalid', reason: totalRow }
    return isReportLine(text, isFree) ? { kind: 'invalid', reason: reportRow } : null
  }
}

/** A count of rows below a header of numbers: no number of a company with such a name is so short. */
const shortCount = /^\p{Nd}{1,4}$|^\p{Nd}{1,3}[.,]\p{Nd}{3}$/u

/** Whether the cells of a row are a total and figures, whatever their columns. Such cells do not tell what a column has. */
export function isTotalLine(row: TextRow): boolean {
  const texts = row.flatMap((cell) => cell?.trim() || [])
  const [text = '', another] = texts.filter((cell) => !/^[\p{Nd}\p{Sc}.,\s%-]+$/u.test(cell))
  return texts.length > 1 && another === undefined && text.length <= totalCharsMax && isTotal(text, true)
}

/** A row with a number, a street or a website of its own has a company. */
const ofCompany = /\p{Nd}|@|\p{L}{2}\.\p{L}{2}/u

/** Where a person signs. Without it, a row with a number or a street may be of a company with such a name. */
const signatureSign = /[:：_]|\.{2}/u

/** Whether a text is a line for a signature: `Prepared by: Juan Cruz`, `Reviewed and approved by`, `Checked by Ana Cruz`. */
function isSigned(text: string): boolean {
  if (!signedStarts.has(toTotalKey(text.slice(0, 8)).slice(0, 2))) return false
  const [front = '', name] = text.split(signatureSign)
  const words = front
    .replace(/^\p{L}+(?:\s?[/&,]\s?|\s(?:and|und|et|y|e|i|и|і|dan|at|na|ve|a|och|og|en)\s)/u, '')
    .split(/\s+/u)
  const isPhrase = (end?: number) => isReportWord('signed', words.slice(0, end).join(' '))
  if (isReportWord('signed', front) || ((name !== undefined || words.length > 1) && isPhrase())) return true
  return (isPhrase(2) || isPhrase(3)) && words.length > 2 && !hasLegalForm(text)
}

/** Whether a name is a mark in place of one: `same`, `"Ditto"`, `VOID`. Written otherwise, it may be a name. */
function isMark(text: string, others: TextRow): boolean {
  if (text.length > markCharsMax || others.some((cell) => ofCompany.test(cell ?? ''))) return false
  const bare = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '')
  const hasSigns = !text.startsWith(bare) && !text.endsWith(bare)
  if (isReportWord('marks', bare) && (hasSigns || bare === bare.toLowerCase())) return true
  if (isReportWord('capitalMarks', bare) && bare === bare.toUpperCase()) return true
  const isPhilippine = others.some((cell) => isReportWord('philippines', cell ?? ''))
  return isPhilippine && isReportWord('philippineMarks', bare)
}

/** `isFree`: the row has nothing else, but other rows have. */
function isTotal(name: string, isFree: boolean): boolean {
  const text = name.replace(/\p{Nd}[\p{Nd}.,\s]*/gu, ' ').trim()
  const key = toTotalKey(text)
  if (totals.has(key) || (isFree && vagueTotals.has(key))) return true
  // "Jumla / TOTAL": in two languages.
  const parts = text
    .split(/[/|\\()•·–—]+|\s-\s/u)
    .map(toTotalKey)
    .filter((part) => /\p{L}/u.test(part))
  if (parts.length > 1 && parts.every((part) => totals.has(part) || vagueTotals.has(part))) return true
  const words = text.split(/[^\p{L}\p{M}\p{Sc}]+/u).filter((word) => word !== '')
  const join = (from: number, to?: number) => toTotalKey(words.slice(from, to).join(''))
  const isPart = [join(0, 1), join(0, 2), join(-1)].some((word) => partialTotals.has(word))
  if (isPart && words.length < 5 && !hasLegalForm(name)) return true
  // A word for a total and, before or behind it, only words for what it counts: `Tổng cộng: 40 khách hàng`, `合计42家公司`.
  const tokens = words.flatMap((word) => (/\p{sc=Han}/u.test(word) ? Array.from(word) : word))
  const spell = (from: number, to?: number) => toTotalKey(tokens.slice(from, to).join(''))
  const areCounted = (from: number, to = tokens.length): boolean =>
    from >= to ||
    [1, 2, 3].some((n) => from + n <= to && counted.has(spell(from, from + n)) && areCounted(from + n, to))
  const isCounted = (at: number, end: number) =>
    (totals.has(spell(at, end)) || vagueTotals.has(spell(at, end))) && areCounted(0, at) && areCounted(end)
  // "2 klienti" next to a total in another column
  if (isFree && /^\p{Nd}+ [\p{L}\p{M}]{4}[^\p{Nd}]*$/u.test(name.trim()) && areCounted(0)) return true
  // "3 gab.", "1,204 pcs": a name would begin with a capital letter
  const piece = /^\p{Nd}[\p{Nd}.,\s]*([\p{Ll}\p{Lo}\p{M}]{1,8})\.?$/u.exec(name.trim())?.[1]
  if (isFree && piece !== undefined && pieces.has(toTotalKey(piece))) return true
  const unit = /\(([^()]+)\)[\s:]*$/u.exec(name)?.[1] ?? 'x'
  const isUnit = unit === unit.toUpperCase() && counted.has(toTotalKey(unit))
  const isSaid = isFree || /[\p{Nd}:：]/u.test(name) || totals.has(join(0, 2)) || isUnit
  return isSaid && tokens.some((_, at) => [1, 2, 3].some((count) => isCounted(at, at + count)))
}

/** Returns the first letter or digit, in lower case. */
const getInitial = (text: string): string =>
  (/[\p{L}\p{M}\p{N}]/u.exec(text)?.[0] ?? '').normalize('NFKC').toLowerCase().charAt(0)

/** A row that has only a name, though others have more. */
interface LoneRow {
  readonly name: string
  readonly rowNumber: number
}

/** Finds rows that are no companies by the cells that they have: a second header, types, headings of groups, a footer. */
export class RowShapes {
  #rowCount = 0
  #headerCount = 0
  #loneCount = 0
  /** The last row without cells. */
  #blankRow = -1
  /** The first ones, and the last one after them. */
  readonly #lone: LoneRow[] = []
  readonly #places = new Set<string>()
  /** Why the first row may be no company. */
  #firstDoubt: string | null = null

  constructor(private readonly columns: LookupColumns) {}

  add([name, ...others]: TextRow): void {
    this.#rowCount++
    if (this.columns.name === null || !name) {
      if (!others.some(Boolean)) this.#blankRow = this.#rowCount
      return
    }
    if (this.#rowCount <= headerRowsMax && isKnownHeader(name)) this.#headerCount++
    const rest = others.filter((cell) => cell !== null && cell.trim() !== '') as string[]
    if (this.#rowCount === 1 && rest.length > 0 && isDescription([name, ...rest]))
      this.#firstDoubt = `row 1 seems to be a second header, or to describe the columns: ${quoteExcerpt([name, ...rest].join(', '))}`
    if (rest.length > 0) {
      const places = this.#places.size < placesMax ? others.slice(0, this.columns.location.length) : []
      for (const cell of places) this.#places.add((cell ?? '').trim().toLowerCase())
    } else if (others.length > 0) {
      this.#loneCount++
      this.#lone.splice(loneRowsMax)
      this.#lone.push({ name: name.trim(), rowNumber: this.#rowCount })
    }
  }

  /** Call after the last row. Rows that are not looked up are no doubt. */
  async listDoubts(index: RowIndex): Promise<readonly string[]> {
    const isAsked = (rowNumber: number) => index.getReason(index.slice(rowNumber - 1, 1)[0] ?? 0) === null
    const first = this.#firstDoubt === null || !isAsked(1) ? [] : [this.#firstDoubt]
    const lone = this.#lone.filter(({ rowNumber }) => isAsked(rowNumber))
    const isTransposed = this.#headerCount > 1 && this.#headerCount >= Math.min(this.#rowCount, headerRowsMax)
    const told =
      'the names are words of headers: the table seems to have a column, not a row, for each company'
    const transposed = isTransposed ? [told] : []
    return [...first, ...transposed, ...(await this.#describeLone(lone))]
  }

  async #describeLone(lone: readonly LoneRow[]): Promise<readonly string[]> {
    // Without places in most rows, a row without one is usual.
    const isUsual = this.#loneCount - this.#lone.length + lone.length > this.#rowCount / 2 + 1
    if (lone.length === 0 || isUsual) return []
    const { findCountryCodes } = await import('../../core/countries.js')
    const isPlace = ({ name }: LoneRow) =>
      this.#places.has(name.toLowerCase()) ||
      (name.length > codeCharsMax && findCountryCodes(name).length > 0)
    const groups = lone.filter(isPlace)
    const rest = lone.filter((row) => !isPlace(row))
    const footer = rest.filter(({ rowNumber }) => rowNumber > this.#rowCount - footerRowsMax)
    const isFooter =
      footer.length === rest.length &&
      footer.some(({ name, rowNumber }) => rowNumber === this.#blankRow + 1 || footerSign.test(name))
    return [
      ...(groups.length > 1 && groups.length >= lone.length / 2
        ? [
            `${plural(groups.length, 'row has', 'rows have')} only a place (${formatLone(groups)}): they seem to be headings`,
          ]
        : []),
      ...(isFooter && this.#loneCount <= loneRowsMax
        ? [`the last rows have only a text (${formatLone(footer)}): they seem to be a footer`]
        : []),
    ]
  }
}

const [headerRowsMax, placesMax, loneRowsMax, footerRowsMax, namedMax] = [50, 10_000, 1_000, 3, 3]
/** Codes of countries are also names: `SA`, `AG`. */
const codeCharsMax = 3

const cellTypes: ReadonlySet<string> = new Set(headerWords.cellTypes.split('|').map(toSpellingKey))

/** Whether all cells are headers, or all are words for types. */
const isDescription = (cells: readonly string[]): boolean =>
  cells.every(isKnownHeader) || cells.every((cell) => cellTypes.has(toSpellingKey(cell)))

/** Signs that names of companies lack: a colon or a semicolon, a frame of dashes, dots at the end. */
const footerSign = /[:：;；|]|^[-–—=*#_]{2}|[.。]{3}$/u

const formatLone = (rows: readonly LoneRow[]): string =>
  rows
    .slice(0, namedMax)
    .map(({ rowNumber, name }) => `row ${rowNumber}: ${quoteExcerpt(name)}`)
    .join(', ')
