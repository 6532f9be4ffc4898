import { plural, printable } from '../../../core/text.js'
import type { QueueFilter } from '../../page-data.js'

export const formatStatus = (status: string): string => status.replaceAll('_', ' ')

export type Tone = 'matched' | 'doubtful' | 'none'

/** Returns how the page shows a status: as a match, as no match, or as doubtful. Unknown statuses count as doubtful. */
export function getTone(status: string): Tone {
  if (status === 'matched' || status === 'merged') return 'matched'
  return status === 'no_match' || status === 'not_found' ? 'none' : 'doubtful'
}

const steps = [
  [60_000, 1_000, 's'],
  [3_600_000, 60_000, 'min'],
  [86_400_000, 3_600_000, 'h'],
  [Infinity, 86_400_000, 'd'],
] as const

/** Formats the time since a moment: `just now`, `12 min ago` */
export function formatAge(atMs: number, nowMs: number): string {
  const pastMs = Math.max(0, nowMs - atMs)
  if (pastMs < 10_000) return 'just now'
  const [, unitMs, unit] = steps.find(([belowMs]) => pastMs < belowMs) ?? steps[3]
  return `${Math.floor(pastMs / unitMs)} ${unit} ago`
}

/** `2026-01-31 04:05 UTC` */
export const formatTime = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Formats the weight of evidence: `+2.1`, `−0.4`: log-odds. */
export function formatWeight(weight: number): string {
  const size = Math.abs(weight).toFixed(1)
  if (size === '0.0') return '0.0'
  return `${weight < 0 ? '−' : '+'}${size}`
}

/** Counts of the whole queue, without filters. */
export interface QueueCounts {
  readonly open: number
  readonly decided: number
  readonly openByStatus: Readonly<Record<string, number>>
  readonly isRunGoingOn: boolean
}

interface EmptyQueueText {
  readonly title: string
  readonly text: string
  /** The filters hide all rows. */
  readonly isFiltered: boolean
}

/** Explains why the queue shows no row. */
export function describeEmptyQueue(
  filters: QueueFilter,
  { open, decided, isRunGoingOn }: QueueCounts,
): EmptyQueueText {
  const later = isRunGoingOn ? ' A run is in progress: new doubtful lookups appear automatically.' : ''
  if (filters.text !== '' || filters.statuses.length > 0)
    return {
      title: 'No lookup matches',
      text: 'No lookup of the queue matches the filters.',
      isFiltered: true,
    }
  if (filters.view === 'decided') return { title: 'No decisions yet', text: '', isFiltered: true }
  if (open === 0 && decided > 0)
    return {
      title: 'All decided',
      text: `${plural(decided, 'lookup')} decided, none open. The next run uses these decisions; their lookups are not submitted or billed.${later}`,
      isFiltered: false,
    }
  return {
    title: isRunGoingOn ? 'No doubtful answers yet' : 'No doubtful answers',
    text: `No answer needs a review.${later}`,
    isFiltered: false,
  }
}

const foreignCharsMax = 300
/** More combining marks than this on one letter would cover the lines around it. */
const marksInARow = /(\p{M}{4})\p{M}+/gu

/** Converts foreign text for display: shortened, invisible and direction-changing characters escaped. */
export function toDisplayText(text: string, charsMax = foreignCharsMax): string {
  const cut = printable(text.slice(0, charsMax)).replace(marksInARow, '$1')
  return text.length > charsMax ? `${cut.replace(/[\ud800-\udbff]$/, '')}…` : cut
}

/** Splits a text before its first and after its last letter or digit: signs around words are not marked with them. */
export function splitAtWords(text: string): readonly [before: string, words: string, after: string] {
  const [, before = '', words = '', after = ''] =
    /^([^\p{L}\p{M}\p{N}]*)(.*[\p{L}\p{M}\p{N}])(.*)$/su.exec(text) ?? []
  return words === '' ? [text, '', ''] : [before, words, after]
}
