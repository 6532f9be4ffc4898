import { html, type Html, type HtmlPart } from './html.js'
import { formatCount } from '../core/text.js'

interface Column {
  readonly name: string
  readonly isNumber?: true
}

interface TableOptions<Row> {
  /** Unique in the page and stable: the live page uses it to keep focus and scroll position. */
  readonly id: string
  /** Accessible name of the table. */
  readonly label: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly cellsOf: (row: Row) => readonly HtmlPart[]
  /** Number of all rows, if `rows` is only the first part. */
  readonly totalCount?: number
  /** Noun for the omitted rows (default: rows). */
  readonly noun?: string
  readonly bytesMax?: number
}

const bytesMaxDefault = 60_000

/**
 * A table that scrolls horizontally, also by keyboard, and states how many rows it omits.
 *
 *     renderTable({ id: 'runs', label: 'Runs', columns: [{ name: 'Run' }], rows, cellsOf: ({ number }) => [number] })
 */
export function renderTable<Row>(options: TableOptions<Row>): Html {
  const { id, label, columns, rows, cellsOf, noun = 'rows' } = options
  const shown = takeRowsWithin(
    rows.map(
      (row) =>
        html`<tr>
          ${cellsOf(row).map((cell, index) => renderCell(cell, columns[index]))}
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
<thead><tr>${columns.map(renderHead)}</tr></thead>
<tbody>
${shown}</tbody></table></div>${rest}`
}

const renderHead = ({ name, isNumber }: Column): Html =>
  isNumber === true ? html`<th scope="col" class="n">${name}</th>` : html`<th scope="col">${name}</th>`

const renderCell = (cell: HtmlPart, column: Column | undefined): Html =>
  column?.isNumber === true ? html`<td class="n">${cell}</td>` : html`<td>${cell}</td>`

/** Returns the first rows that fit. This limits the size of the page. */
function takeRowsWithin(rows: readonly Html[], bytesMax: number): readonly Html[] {
  let bytes = 0
  const end = rows.findIndex((row) => (bytes += Buffer.byteLength(String(row))) > bytesMax)
  return end === -1 ? rows : rows.slice(0, end)
}

export interface FigureOptions<Row> {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  /** `null` if `below` has the figure's bars or plots. */
  readonly plot: Omit<PlotOptions, 'id' | 'title'> | null
  /** Ticks, a legend and text. */
  readonly below: HtmlPart
  /** The drawn values. */
  readonly table: Omit<TableOptions<Row>, 'id' | 'label'>
}

/** A figure with its text, and its values in a closed table. */
export const renderFigure = <Row>({ id, title, plot, below, table }: FigureOptions<Row>): Html =>
  html`<figure class="chart" id="${id}">
    <figcaption>${title}</figcaption>
    ${plot === null ? null : renderPlot({ id, title, ...plot })} ${below}
    ${renderDetails(
      `${id}-data`,
      `Data table: ${title}`,
      renderTable({ ...table, id: `${id}-table`, label: title }),
    )}
  </figure>`

export interface PlotOptions {
  readonly id: string
  readonly title: string
  /** The content of the figure in a sentence, for screen readers. */
  readonly description: string
  /** All positions are in percent, to fit any width. */
  readonly marks: HtmlPart
  readonly size: 'low' | 'tall'
}

/** The SVG has no text, because text would be scaled with it. */
export const renderPlot = ({ id, title, description, marks, size }: PlotOptions): Html =>
  html`<svg class="plot ${size}" role="img" aria-labelledby="${id}-title ${id}-desc">
    <title id="${id}-title">${title}</title>
    <desc id="${id}-desc">${description}</desc>
    ${marks}
  </svg>`

/** A disclosure that also opens by keyboard. */
export const renderDetails = (id: string, summary: string, inner: HtmlPart, isOpen = false): Html =>
  html`<details id="${id}" ${isOpen ? 'open' : null}>
    <summary>${summary}</summary>
    ${inner}
  </details>`

export interface Rectangle {
  /** In percent of the plot, from its top left corner. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly className: string
  /** Tooltip. */
  readonly words?: string
}

export const renderRectangle = ({ x, y, width, height, className, words }: Rectangle): Html =>
  html`<rect
    class="${className}"
    x="${place(x)}"
    y="${place(y)}"
    width="${place(width)}"
    height="${place(height)}"
    >${words === undefined ? null : html`<title>${words}</title>`}</rect
  >`

const place = (value: number): string => `${Number(value.toFixed(3))}%`

/** Calculates the horizontal position and width of one of several columns, in percent, with a gap. */
export function calculateColumnPlace(index: number, columnCount: number): { x: number; width: number } {
  const step = 100 / Math.max(1, columnCount)
  const width = Math.min(step * 0.82, 8)
  return { x: index * step + (step - width) / 2, width }
}

/** Labels below both ends of a plot. */
export const renderEnds = (first: HtmlPart, last: HtmlPart): Html =>
  html`<div class="ends quiet"><span>${first}</span><span>${last}</span></div>`

/** Values above this multiple of the usual value do not fit the scale. */
const outlierFactor = 4

/**
 * Returns the upper end of a scale from 0: the largest value. If a few values are far above the others, it ends just
 * above the others, so that one run of 10,000 does not flatten thirty of 100.
 */
export function calculateCeiling(values: readonly number[]): number {
  const sorted = [...values].filter((value) => value > 0).sort((one, other) => one - other)
  const largest = sorted.at(-1) ?? 1
  if (sorted.length < 4) return largest
  const usual = sorted[Math.floor((sorted.length - 1) * 0.8)] ?? largest
  if (largest <= usual * outlierFactor) return largest
  const rest = sorted.filter((value) => value <= usual * outlierFactor)
  return (rest.at(-1) ?? usual) * 1.25
}
