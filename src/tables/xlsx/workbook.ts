import { UserError } from '../../core/errors.js'
import { xlsxLimits } from '../limits.js'
import { getBuiltInStyle, parseStyle, type CellStyle } from './cells.js'
import {
  type Parts,
  readWholeXml,
  createDamagedWorkbookError,
  createOtherSpreadsheetError,
} from './xml-parts.js'

export interface Sheet {
  readonly name: string
  readonly isHidden: boolean
  /** Name of the part with its cells. */
  readonly part: string
}

/** Data that the cells of all sheets refer to. */
export interface Workbook {
  readonly sheets: readonly Sheet[]
  readonly is1904: boolean
  /** Indexed by the style number of cells. */
  readonly styles: readonly CellStyle[]
  readonly sharedStringsPart: string | null
  readonly hasMacros: boolean
}

/** Throws INPUT_FORMAT_UNKNOWN for other kinds of spreadsheets, and INPUT_EXCEL_INVALID. */
export async function readWorkbook(parts: Parts): Promise<Workbook> {
  const main = (await parts.readRelations('')).find(({ type }) => type === 'officeDocument')?.target
  const part = main ?? 'xl/workbook.xml'
  if (/\.bin$/i.test(part)) throw createOtherSpreadsheetError(parts.label, 'a binary workbook (.xlsb)')
  if (!parts.has(part)) {
    if (parts.has('content.xml'))
      throw createOtherSpreadsheetError(parts.label, 'an OpenDocument file (.ods)')
    throw createOtherSpreadsheetError(parts.label, 'a zip without a workbook')
  }
  const relations = await parts.readRelations(part)
  const findTarget = (wanted: string) => relations.find(({ type }) => type === wanted)?.target ?? null
  const sheets: Sheet[] = []
  let is1904 = false
  await readWholeXml(parts.read(part), parts.label, {
    open: (name, attribute) => {
      if (name === 'workbookPr') is1904 = isTrue(attribute('date1904'))
      if (name !== 'sheet') return
      const relation = relations.find(({ id }) => id === attribute('id'))
      // Chart and macro sheets have no cells.
      if (relation?.type !== 'worksheet') return
      const isHidden = /hidden/i.test(attribute('state') ?? '')
      sheets.push({ name: attribute('name') ?? '', isHidden, part: relation.target })
      if (sheets.length > xlsxLimits.sheetsMax)
        throw createDamagedWorkbookError(parts.label, 'it has too many sheets')
    },
  })
  const styles = findTarget('styles')
  return {
    sheets,
    is1904,
    styles: styles === null || !parts.has(styles) ? [] : await readStyles(parts, styles),
    sharedStringsPart: findTarget('sharedStrings'),
    hasMacros: findTarget('vbaProject') !== null,
  }
}

/** Finds a sheet by name or by number from 1; by default the first visible one. Throws INPUT_SHEET_MISSING. */
export function chooseSheet(label: string, { sheets }: Workbook, wanted: string | undefined): Sheet {
  const found =
    wanted === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : (sheets.find(({ name }) => name === wanted) ??
        sheets.find(({ name }) => name.toLowerCase() === wanted.toLowerCase()) ??
        (/^\d{1,5}$/.test(wanted) ? sheets[Number(wanted) - 1] : undefined))
  if (found !== undefined) return found
  if (wanted === undefined) throw createDamagedWorkbookError(label, 'it has no sheet with cells')
  throw new UserError('INPUT_SHEET_MISSING', `${label} has no sheet "${wanted}"`, {
    hint: `it has ${sheets.map(({ name }) => `"${name}"`).join(', ')}`,
  })
}

async function readStyles(parts: Parts, styles: string): Promise<CellStyle[]> {
  const formats = new Map<number, CellStyle>()
  const ids: number[] = []
  let isInside = false
  await readWholeXml(parts.read(styles), parts.label, {
    open: (name, attribute) => {
      if (name === 'numFmt')
        formats.set(Number(attribute('numFmtId')), parseStyle(attribute('formatCode') ?? ''))
      else if (name === 'cellXfs') isInside = true
      else if (name === 'xf' && isInside) ids.push(Number(attribute('numFmtId') ?? 0))
    },
    close: (name) => {
      if (name === 'cellXfs') isInside = false
    },
  })
  return ids.map((id) => formats.get(id) ?? getBuiltInStyle(id))
}

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true'
}

/** Collects the text of a string: joins its runs and omits Japanese reading aids (`rPh`). */
export class StringText {
  #text = ''
  #isText = false
  #aids = 0

  open(name: string): void {
    if (name === 'rPh') this.#aids++
    else if (name === 't') this.#isText = this.#aids === 0
  }

  add(text: string): void {
    if (this.#isText) this.#text += text
  }

  close(name: string): void {
    if (name === 'rPh') this.#aids--
    else if (name === 't') this.#isText = false
  }

  /** Returns the collected text and starts the next string. */
  take(): string {
    const text = decodeEscapes(this.#text)
    this.#text = ''
    return text
  }
}

/** Decodes escapes like `_x000D_`, which replace characters that XML cannot contain. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

/** Reads the strings that cells refer to by number. */
export async function readSharedStrings(parts: Parts, part: string | null): Promise<readonly string[]> {
  const strings: string[] = []
  if (part === null || !parts.has(part)) return strings
  const string = new StringText()
  let charCount = 0
  await readWholeXml(parts.read(part), parts.label, {
    open: (name) => {
      string.open(name)
    },
    text: (text) => {
      string.add(text)
    },
    close: (name) => {
      string.close(name)
      if (name !== 'si') return
      const text = string.take()
      charCount += text.length
      if (charCount > xlsxLimits.sharedStringCharsMax) {
        throw createDamagedWorkbookError(
          parts.label,
          `its texts have more than ${xlsxLimits.sharedStringCharsMax} characters`,
        )
      }
      strings.push(text)
    },
  })
  return strings
}
