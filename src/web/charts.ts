import { html, type Html, type HtmlPart } from './html.js'
import { tableHtml, type TableOptions } from './table.js'

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
