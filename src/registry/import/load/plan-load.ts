import type { FormatName } from '../formats.js'
import type { MapProposal } from '../propose-map.js'

/** A file that is to be loaded. */
export interface LoadStep {
  readonly path: string
  readonly format: 'csv' | FormatName
  /** ISO 8601: of files of one source the newest counts, whichever is loaded last. */
  readonly fileDate: string
  readonly rowEstimate: number | null
  /** What the source is called, where that is not the format's or the file's name. */
  readonly sourceName: string | null
  /** How the columns of a `csv` are read; null for any other format. */
  readonly proposal: MapProposal | null
}

/**
 * Lists of codes, then companies, then what adds to companies, then who owns whom. Among companies the registers'
 * own files come first: of two that turn out to be one the older id stays.
 */
const order: readonly LoadStep['format'][] = [
  'gleif-authorities',
  'gleif-legal-forms',
  'gleif',
  'companies-house',
  'sec-submissions',
  'sec-tickers',
  'csv',
  'sec-sub',
  'lei-cik',
  'gleif-bic',
  'gleif-isin',
  'sec-names',
  'gleif-relationships',
]

/** In the order in which they are loaded: by kind, then the older file, then whatever tells them apart. */
export function inLoadOrder(steps: readonly LoadStep[]): LoadStep[] {
  return [...steps].sort(
    (a, b) =>
      order.indexOf(a.format) - order.indexOf(b.format) ||
      compared(a.proposal?.idType ?? '', b.proposal?.idType ?? '') ||
      compared(a.fileDate, b.fileDate) ||
      compared(a.path, b.path),
  )
}

/** Companies House publishes its file in parts: each is a source, or the second would take the first one's place. */
export function sourceNameOf(format: LoadStep['format'], fileName: string): string | null {
  const part = /part_?-?(\d{1,3})(?!\d)/i.exec(fileName)?.[1]
  return part === undefined || format === 'csv' ? null : `${format} part ${Number(part)}`
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
