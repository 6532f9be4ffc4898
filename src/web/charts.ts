import { html, type Html, type HtmlPart } from './html.js'

export interface FigureOptions {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  /** What is to be seen, in a sentence: for those who do not see it. */
  readonly description: string
  /** The marks; all of their places are in percent, so that they fit any width. */
  readonly marks: HtmlPart
  readonly size?: 'low' | 'tall'
  /** Words below the marks: ticks and a legend. */
  readonly below: HtmlPart
  /** What is drawn, as a table. */
  readonly data: Html | null
}

/** A picture with its words: only marks are in the SVG, since words have to fit. */
export function figureHtml({ id, title, description, marks, size, below, data }: FigureOptions): Html {
  return html`<figure class="chart" id="${id}">
    <figcaption>${title}</figcaption>
    ${plotHtml({ id, title, description, marks, size: size ?? 'tall' })} ${below}
    ${data === null ? null : detailsHtml(`${id}-data`, `The same as a table: ${title}`, data)}
  </figure>`
}

export const plotHtml = (
  plot: Pick<FigureOptions, 'id' | 'title' | 'description' | 'marks'> & { readonly size: 'low' | 'tall' },
): Html =>
  html`<svg class="plot ${plot.size}" role="img" aria-labelledby="${plot.id}-title ${plot.id}-desc">
    <title id="${plot.id}-title">${plot.title}</title>
    <desc id="${plot.id}-desc">${plot.description}</desc>
    ${plot.marks}
  </svg>`

/** Opened by keyboard too. */
export const detailsHtml = (id: string, summary: string, inner: HtmlPart, isOpen = false): Html =>
  isOpen
    ? html`<details id="${id}" open>
        <summary>${summary}</summary>
        ${inner}
      </details>`
    : html`<details id="${id}">
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
