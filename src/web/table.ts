import { formatCount } from '../core/text.js'
import { html, type Html, type HtmlPart } from './html.js'

interface Column {
  readonly name: string
  readonly isNumber?: true
}

export interface TableOptions<Row> {
  /** Unique in the page, and the same each time it is made: the live page keeps what was focused or scrolled by it. */
  readonly id: string
  /** What the table is of, for those who hear it. */
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** A cell for each column. */
  readonly cellsOf: (row: Row) => readonly HtmlPart[]
  /** How many there are, where `rows` are the first of them. */
  readonly totalCount?: number
  /** What they are, where some are left out: `rows`. */
  readonly noun?: string
  readonly bytesMax?: number
}

const bytesMaxDefault = 60_000

/** A table that scrolls by itself where it is wider than the page, by keyboard too, and says what it leaves out. */
export function tableHtml<Row>(options: TableOptions<Row>): Html {
  const { id, label, columns, rows, cellsOf, noun = 'rows' } = options
  const shown = rowsWithin(
    rows.map(
      (row) =>
        html`<tr>
          ${cellsOf(row).map((cell, index) => cellHtml(cell, columns[index]))}
        </tr>`,
    ),
    options.bytesMax ?? bytesMaxDefault,
  )
  const totalCount = Math.max(options.totalCount ?? 0, rows.length)
  const rest =
    shown.length < totalCount
      ? html`<p class="quiet">
          The first ${formatCount(shown.length)} of ${formatCount(totalCount)} ${noun}.
        </p>`
      : null
  return html`<div class="scroll" id="${id}" tabindex="0" role="group" aria-label="${label}"><table${columns.length >= 5 ? html` class="wide"` : null}>
<thead><tr>${columns.map(headHtml)}</tr></thead>
<tbody>
${shown}</tbody></table></div>${rest}`
}

const headHtml = ({ name, isNumber }: Column): Html =>
  isNumber === true ? html`<th scope="col" class="n">${name}</th>` : html`<th scope="col">${name}</th>`

const cellHtml = (cell: HtmlPart, column: Column | undefined): Html =>
  column?.isNumber === true ? html`<td class="n">${cell}</td>` : html`<td>${cell}</td>`

/** The first rows that fit: a page stays small whatever is written in them. */
function rowsWithin(rows: readonly Html[], bytesMax: number): readonly Html[] {
  let bytes = 0
  const end = rows.findIndex((row) => (bytes += Buffer.byteLength(String(row))) > bytesMax)
  return end === -1 ? rows : rows.slice(0, end)
}
