import { posix } from 'node:path'
import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { UserError } from '../../core/errors.js'
import { xlsxLimits } from '../limits.js'
import type { OpenZip } from '../zip-reader.js'
import { getBuiltInStyle, parseStyle, type CellStyle } from './cells.js'

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

/** Handlers for the XML of a part. Names have no prefix. */
interface XmlHandlers {
  open(name: string, attribute: (name: string) => string | undefined): void
  close?(name: string): void
  /** May be called with several pieces. */
  text?(text: string): void
}

/** Parses XML in chunks and calls the handlers. Yields after each chunk, so that the caller can take the results so far. */
export async function* readXml(
  chunks: AsyncIterable<Buffer>,
  label: string,
  handlers: XmlHandlers,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ position: false })
  let charsSinceTag = 0
  parser.on('doctype', () => {
    throw createDamagedWorkbookError(label, 'it declares a document type, which Excel files never do')
  })
  parser.on('error', (error) => {
    throw createDamagedWorkbookError(label, error.message, error)
  })
  parser.on('opentag', ({ name, attributes }) => {
    charsSinceTag = 0
    handlers.open(getLocalName(name), (wanted) => findAttribute(attributes, wanted))
  })
  parser.on('closetag', ({ name }) => {
    charsSinceTag = 0
    handlers.close?.(getLocalName(name))
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))
  for await (const text of decodeXml(chunks, label)) {
    charsSinceTag += text.length
    parser.write(text)
    if (charsSinceTag > xlsxLimits.charsBetweenTagsMax) {
      throw createDamagedWorkbookError(
        label,
        `a cell of more than ${xlsxLimits.charsBetweenTagsMax} characters`,
      )
    }
    yield
  }
  parser.close()
}

/** Parses a whole part. */
async function readWholeXml(
  chunks: AsyncIterable<Buffer>,
  label: string,
  handlers: XmlHandlers,
): Promise<void> {
  const reading = readXml(chunks, label, handlers)
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

function getLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function findAttribute(attributes: Record<string, unknown>, wanted: string): string | undefined {
  const plain = attributes[wanted]
  if (typeof plain === 'string') return plain
  const found = Object.keys(attributes).find(
    (name) => name.endsWith(`:${wanted}`) && !name.startsWith('xmlns:'),
  )
  return found === undefined ? undefined : String(attributes[found])
}

/** A link from one part of a package to another. */
interface Relation {
  readonly id: string
  /** The last word of the type: `worksheet`, `styles`. */
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
    await readWholeXml(this.read(list), this.label, {
      open: (name, attribute) => {
        if (name !== 'Relationship' || attribute('TargetMode') === 'External') return
        const type = attribute('Type') ?? ''
        relations.push({
          id: attribute('Id') ?? '',
          type: type.slice(type.lastIndexOf('/') + 1),
          target: posix.join('/', folder, resolveRelationTarget(attribute('Target') ?? '', folder)).slice(1),
        })
      },
    })
    return relations
  }

  close(): void {
    this.zip.close()
  }
}

/** A target with a leading slash is relative to the root, not to the folder. */
function resolveRelationTarget(target: string, folder: string): string {
  return target.startsWith('/') ? posix.relative(posix.join('/', folder), target) : target
}

/** Some programs write backslashes, or differ in letter case. */
function toKey(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()
}
