import { writeZip, type ZippedFile } from './zip-file.js'

interface MadeSheet {
  readonly name: string
  /** The rows as XML. */
  readonly rows: string
  readonly state?: 'hidden' | 'veryHidden'
}

export interface MadeWorkbook {
  readonly sheets: readonly MadeSheet[]
  readonly sharedStrings?: string
  /** Formats by number, and the number of each style of cells. */
  readonly formats?: Readonly<Record<number, string>>
  readonly styles?: readonly number[]
  readonly is1904?: boolean
  /** In front of every name of a tag. */
  readonly prefix?: string
  /** Targets of relations begin at the root. */
  readonly absoluteTargets?: boolean
}

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relationships = 'http://schemas.openxmlformats.org/package/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** The parts of an .xlsx file, as small as they may be. */
export function xlsxParts(book: MadeWorkbook): ZippedFile[] {
  const tag = book.prefix === undefined ? '' : `${book.prefix}:`
  const named = (xml: string) => xml.replaceAll(/<(\/?)(?=[a-z])/gi, `<$1${tag}`)
  const root = (name: string, inside: string) =>
    `${declaration}<${tag}${name} xmlns${tag === '' ? '' : `:${book.prefix ?? ''}`}="${main}" xmlns:r="${office}">${named(inside)}</${tag}${name}>`
  const folder = book.absoluteTargets === true ? '/xl/' : ''
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`
  const rels = (inside: string) =>
    `${declaration}<Relationships xmlns="${relationships}">${inside}</Relationships>`
  const sheets = book.sheets
    .map(({ name, state }, index) => {
      const hidden = state === undefined ? '' : ` state="${state}"`
      return `<sheet name="${name}" sheetId="${index + 1}"${hidden} r:id="rId${index + 1}"/>`
    })
    .join('')
  const formats = Object.entries(book.formats ?? {}).map(
    ([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`,
  )
  const styles = (book.styles ?? [0]).map(
    (id) => `<xf numFmtId="${id}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  )
  const contentType = (name: string, kind: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`
  const contentTypes = [
    contentType('workbook', 'sheet.main'),
    contentType('styles', 'styles'),
    contentType('sharedStrings', 'sharedStrings'),
    ...book.sheets.map((_, index) => contentType(`worksheets/sheet${index + 1}`, 'worksheet')),
  ]
  return [
    {
      name: '[Content_Types].xml',
      content: `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${contentTypes.join('')}</Types>`,
    },
    { name: '_rels/.rels', content: rels(relation('rId1', 'officeDocument', 'xl/workbook.xml')) },
    {
      name: 'xl/workbook.xml',
      content: root(
        'workbook',
        `<workbookPr date1904="${book.is1904 === true ? 1 : 0}"/><sheets>${sheets}</sheets>`,
      ),
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: rels(
        [
          ...book.sheets.map((_, index) =>
            relation(`rId${index + 1}`, 'worksheet', `${folder}worksheets/sheet${index + 1}.xml`),
          ),
          relation('rId901', 'styles', `${folder}styles.xml`),
          relation('rId902', 'sharedStrings', `${folder}sharedStrings.xml`),
        ].join(''),
      ),
    },
    {
      name: 'xl/styles.xml',
      content: root(
        'styleSheet',
        `<numFmts>${formats.join('')}</numFmts><fonts><font><sz val="11"/></font></fonts><fills><fill><patternFill patternType="none"/></fill></fills><borders><border/></borders><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs>`,
      ),
    },
    { name: 'xl/sharedStrings.xml', content: root('sst', book.sharedStrings ?? '') },
    ...book.sheets.map(({ rows }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: root('worksheet', `<sheetData>${rows}</sheetData>`),
    })),
  ]
}

export function writeXlsx(folder: string, name: string, book: MadeWorkbook): string {
  return writeZip(folder, name, xlsxParts(book))
}

/** A row of texts inside the sheet. */
export function textRow(row: number, cells: readonly string[]): string {
  const inline = cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`)
  return `<row r="${row}">${inline.join('')}</row>`
}
