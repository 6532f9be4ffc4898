import { posix } from 'node:path'
import { TextDecoder } from 'node:util'
import { UserError } from '../../core/errors.js'
import { xlsxLimits } from '../limits-and-errors.js'
import type { OpenZip } from '../zip-reader.js'
import { createPlaceReader, XmlError, type PlaceHandlers } from '../../platform/xml.js'
import { getBuiltInStyle, type CellStyle } from './cells.js'
import { parseStyle } from './number-format.js'

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
  /** Whether the file asks programs to calculate its formulas when they open it. */
  readonly isRecalculated: boolean
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
  let isRecalculated = false
  const places = {
    properties: 'workbook/workbookPr',
    sheet: 'workbook/sheets/sheet',
    calculation: 'workbook/calcPr',
  } as const
  await readWholeXml(parts.read(part), parts.label, {
    places: Object.values(places),
    open: (place, attribute) => {
      if (place === places.properties) is1904 = isTrue(attribute('date1904'))
      if (place === places.calculation) isRecalculated = isTrue(attribute('fullCalcOnLoad'))
      if (place !== places.sheet) return
      const relation = relations.find(({ id }) => id === attribute('id', officeNamespaces))
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
    isRecalculated,
    styles: styles === null || !parts.has(styles) ? [] : await readStyles(parts, styles),
    sharedStringsPart: findTarget('sharedStrings'),
    hasMacros: findTarget(macrosType) !== null,
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
  const places = { format: 'styleSheet/numFmts/numFmt', style: 'styleSheet/cellXfs/xf' } as const
  await readWholeXml(parts.read(styles), parts.label, {
    places: Object.values(places),
    open: (place, attribute) => {
      if (place === places.format)
        formats.set(Number(attribute('numFmtId')), parseStyle(attribute('formatCode') ?? ''))
      else if (place === places.style) ids.push(Number(attribute('numFmtId') ?? 0))
    },
  })
  return ids.map((id) => formats.get(id) ?? getBuiltInStyle(id))
}

export function isTrue(text: string | undefined): boolean {
  return text === '1' || text === 'true'
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
  // Japanese reading aids (`rPh`) are not part of the text.
  const places = { string: 'sst/si', text: 'sst/si/t', run: 'sst/si/r/t' } as const
  let string = ''
  let charCount = 0
  await readWholeXml(parts.read(part), parts.label, {
    places: Object.values(places),
    text: (text, place) => {
      if (place === places.text || place === places.run) string += text
    },
    close: (place) => {
      if (place !== places.string) return
      const text = decodeEscapes(string)
      string = ''
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

export function createDamagedWorkbookError(label: string, reason: string, cause?: unknown): UserError {
  return new UserError('INPUT_EXCEL_INVALID', `${label} cannot be read as an Excel file: ${reason}`, {
    hint: 'open it in a spreadsheet program and save it again as .xlsx or CSV',
    cause,
  })
}

export function createOtherSpreadsheetError(
  label: string,
  what: string,
  hint = 'save it as .xlsx, or as CSV',
): UserError {
  return new UserError('INPUT_FORMAT_UNKNOWN', `${label} is ${what}, not an .xlsx file`, {
    hint,
  })
}

/** Namespaces of workbooks, by the transitional and the strict form of the standard. */
const mainNamespaces = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
]
const officeNamespaces = [
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
  'http://purl.oclc.org/ooxml/officeDocument/relationships',
]
const packageNamespaces = ['http://schemas.openxmlformats.org/package/2006/relationships']
const macrosType = 'http://schemas.microsoft.com/office/2006/relationships/vbaProject'

/** Parses XML in chunks and calls the handlers. Yields after each chunk, so that the caller can take the results so far. */
export async function* readXml(
  chunks: AsyncIterable<Buffer>,
  label: string,
  handlers: PlaceHandlers,
  namespaces: readonly string[] = mainNamespaces,
): AsyncGenerator<void> {
  const reader = createPlaceReader(handlers, namespaces)
  const parse = (action: () => void) => {
    try {
      action()
    } catch (error) {
      throw error instanceof XmlError ? createDamagedWorkbookError(label, error.message, error) : error
    }
  }
  let charsSinceTag = 0
  let tagCount = 0
  for await (const text of decodeXml(chunks, label)) {
    parse(() => {
      reader.write(text)
    })
    charsSinceTag = reader.tagCount === tagCount ? charsSinceTag + text.length : 0
    tagCount = reader.tagCount
    if (charsSinceTag > xlsxLimits.charsBetweenTagsMax) {
      throw createDamagedWorkbookError(
        label,
        `a cell of more than ${xlsxLimits.charsBetweenTagsMax} characters`,
      )
    }
    yield
  }
  parse(() => {
    reader.close()
  })
}

/** Parses a whole part. */
async function readWholeXml(
  chunks: AsyncIterable<Buffer>,
  label: string,
  handlers: PlaceHandlers,
  namespaces?: readonly string[],
): Promise<void> {
  const reading = readXml(chunks, label, handlers, namespaces)
  while ((await reading.next()).done !== true);
}

/** XML of a workbook is UTF-8, or UTF-16 with a byte order mark. */
async function* decodeXml(chunks: AsyncIterable<Buffer>, label: string): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  try {
    for await (const chunk of chunks) {
      decoder ??= new TextDecoder(detectWideEncoding(chunk) ?? 'utf-8', { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    if (decoder !== null) yield decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? createDamagedWorkbookError(label, 'it is not UTF-8', error) : error
  }
}

function detectWideEncoding([first, second]: Buffer): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** A link from one part of a package to another. */
interface Relation {
  readonly id: string
  /** `worksheet` or `styles`: a type of the standard without its namespace. Others are whole. */
  readonly type: string
  /** Name of the part in the zip. */
  readonly target: string
}

/** The parts of a workbook, which is a zip. */
export class Parts {
  readonly #names: ReadonlyMap<string, string>

  constructor(
    readonly label: string,
    private readonly zip: OpenZip,
  ) {
    this.#names = new Map(zip.names.map((name) => [toKey(name), name]))
  }

  has(name: string): boolean {
    return this.#names.has(toKey(name))
  }

  read(name: string): AsyncGenerator<Buffer> {
    const found = this.#names.get(toKey(name))
    if (found === undefined) throw createDamagedWorkbookError(this.label, `it has no part ${name}`)
    return this.zip.read(found)
  }

  /** Reads the relations of a part, or of the package for `''`; empty if it has none. */
  async readRelations(part: string): Promise<readonly Relation[]> {
    const folder = posix.dirname(part)
    const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`)
    if (!this.has(list)) return []
    const relations: Relation[] = []
    const place = 'Relationships/Relationship'
    const handlers: PlaceHandlers = {
      places: [place],
      open: (at, attribute) => {
        if (at !== place || attribute('TargetMode') === 'External') return
        relations.push({
          id: attribute('Id') ?? '',
          type: toRelationType(attribute('Type') ?? ''),
          target: posix.join('/', folder, resolveRelationTarget(attribute('Target') ?? '', folder)).slice(1),
        })
      },
    }
    await readWholeXml(this.read(list), this.label, handlers, packageNamespaces)
    return relations
  }

  close(): void {
    this.zip.close()
  }
}

function toRelationType(type: string): string {
  const namespace = officeNamespaces.find((uri) => type.startsWith(`${uri}/`))
  return namespace === undefined ? type : type.slice(namespace.length + 1)
}

/** A target with a leading slash is relative to the root, not to the folder. */
function resolveRelationTarget(target: string, folder: string): string {
  return target.startsWith('/') ? posix.relative(posix.join('/', folder), target) : target
}

/** Some programs write backslashes, or differ in letter case. */
function toKey(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()
}
