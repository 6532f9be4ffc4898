import type { PreviewRow } from '../../app/preview-rows.js'
import { cutToWidth, displayWidth } from '../../core/display-width.js'
import { printable } from '../../core/printable.js'

const gap = '  '
const header = ['asked', 'status', '', 'registered name', 'place']
/** Of each column, at most; a narrow terminal cuts the last ones first. */
const widthsMax = [28, 13, 3, 34, 60]

/** A few answered rows as a table of at most so many columns of a terminal. */
export function previewText(rows: readonly PreviewRow[], columnCount: number): string {
  if (rows.length === 0) return ''
  const cells = rows.map(({ name, status, confidence, legalName, place, error }) =>
    [name, status, confidence === null ? '' : String(confidence), legalName ?? error ?? '', place ?? ''].map(
      oneLine,
    ),
  )
  const widths = header.map((title, at) =>
    Math.min(
      widthsMax[at] ?? 0,
      Math.max(...[title, ...cells.map((row) => row[at] ?? '')].map(displayWidth)),
    ),
  )
  const line = (row: readonly string[]) =>
    cutToWidth(row.map((cell, at) => padded(cell, widths[at] ?? 0)).join(gap), columnCount).trimEnd()
  return [
    rows.length === 1
      ? 'One row as the embedded service answers it:'
      : `${rows.length} rows as the embedded service answers them:`,
    ...[header, ...cells].map((row) => `  ${line(row)}`.trimEnd()),
    '',
    '',
  ].join('\n')
}

const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' '))

function padded(text: string, width: number): string {
  const cut = displayWidth(text) > width ? `${cutToWidth(text, width - 1)}…` : text
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}
