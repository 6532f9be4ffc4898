import { html, type Html, type HtmlPart } from './html.js'
import { formatCount } from '../core/text.js'

interface Column {
  readonly name: string
  readonly isNumber?: true
}

interface TableOptions<Row> {
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

export interface FigureOptions<Row> {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  /** Null if the figure has bars or plots of its own in `below`. */
  readonly plot: Omit<PlotOptions, 'id' | 'title'> | null
  /** Ticks, a legend and words. */
  readonly below: HtmlPart
  /** The drawn values. */
  readonly table: Omit<TableOptions<Row>, 'id' | 'label'>
}

/** A picture with its words, and the same as a table, which is closed at first. */
export const figureHtml = <Row>({ id, title, plot, below, table }: FigureOptions<Row>): Html =>
  html`<figure class="chart" id="${id}">
    <figcaption>${title}</figcaption>
    ${plot === null ? null : plotHtml({ id, title, ...plot })} ${below}
    ${detailsHtml(
      `${id}-data`,
      `The same as a table: ${title}`,
      tableHtml({ ...table, id: `${id}-table`, label: title }),
    )}
  </figure>`

export interface PlotOptions {
  readonly id: string
  readonly title: string
  /** What is to be seen, in a sentence: for those who do not see it. */
  readonly description: string
  /** All of their places are in percent, so that they fit any width. */
  readonly marks: HtmlPart
  readonly size: 'low' | 'tall'
}

/** Only marks are in the SVG, since words have to fit. */
export const plotHtml = ({ id, title, description, marks, size }: PlotOptions): Html =>
  html`<svg class="plot ${size}" role="img" aria-labelledby="${id}-title ${id}-desc">
    <title id="${id}-title">${title}</title>
    <desc id="${id}-desc">${description}</desc>
    ${marks}
  </svg>`

/** Opened by keyboard too. */
export const detailsHtml = (id: string, summary: string, inner: HtmlPart, isOpen = false): Html =>
  html`<details id="${id}" ${isOpen ? 'open' : null}>
    <summary>${summary}</summary>
    ${inner}
  </details>`

export interface Rectangle {
  /** In percent of the picture, from its left and upper edge. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly className: string
  /** Shown where the pointer rests. */
  readonly words?: string
}

export const rectangleHtml = ({ x, y, width, height, className, words }: Rectangle): Html =>
  html`<rect
    class="${className}"
    x="${place(x)}"
    y="${place(y)}"
    width="${place(width)}"
    height="${place(height)}"
    >${words === undefined ? null : html`<title>${words}</title>`}</rect
  >`

const place = (value: number): string => `${Number(value.toFixed(3))}%`

/** Where one of several columns stands, with a gap beside it: in percent, from the left. */
export function columnPlace(index: number, columnCount: number): { x: number; width: number } {
  const step = 100 / Math.max(1, columnCount)
  const width = Math.min(step * 0.82, 8)
  return { x: index * step + (step - width) / 2, width }
}

/** Words below the ends of a picture. */
export const endsHtml = (first: HtmlPart, last: HtmlPart): Html =>
  html`<div class="ends quiet"><span>${first}</span><span>${last}</span></div>`

/** How often the usual a value may be before the scale ends below it. */
const outlierFactor = 4

/**
 * Where a scale from 0 ends: at the largest value, or, where a few are far above all others, a little above those
 * others, so that one night of ten thousand does not flatten thirty of a hundred.
 */
export function ceilingOf(values: readonly number[]): number {
  const sorted = [...values].filter((value) => value > 0).sort((one, other) => one - other)
  const largest = sorted.at(-1) ?? 1
  if (sorted.length < 4) return largest
  const usual = sorted[Math.floor((sorted.length - 1) * 0.8)] ?? largest
  if (largest <= usual * outlierFactor) return largest
  const rest = sorted.filter((value) => value <= usual * outlierFactor)
  return (rest.at(-1) ?? usual) * 1.25
}
