import { posix } from 'node:path'
import type { OpenZip } from '../zip-reader.js'
import { TextDecoder } from 'node:util'
import { SaxesParser } from 'saxes'
import { xlsxLimits } from '../limits.js'
import { UserError } from '../../core/errors.js'

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
export async function readWholeXml(
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
export interface Relation {
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
