import type { PreviewRow } from '../../app/preview-rows.js'
import { tableLines } from './fit-text.js'

const header = ['asked', 'status', '', 'registered name', 'place']
const widthsMax = [28, 13, 3, 34, 60]

/** A few answered rows as a table of at most so many columns of a terminal. */
export function previewText(rows: readonly PreviewRow[], columnCount: number): string {
  if (rows.length === 0) return ''
  const cells = rows.map(({ name, status, confidence, legalName, place, error }) => [
    name,
    status,
    confidence === null ? '' : String(confidence),
    legalName ?? error ?? '',
    place ?? '',
  ])
  return [
    rows.length === 1
      ? 'One row as the embedded service answers it:'
      : `${rows.length} rows as the embedded service answers them:`,
    ...tableLines([header, ...cells], widthsMax, columnCount),
    '',
    '',
  ].join('\n')
}
