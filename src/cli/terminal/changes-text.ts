import { formatCount, plural } from '../../core/text.js'
import type { RunPair } from '../../pipeline/history/choose-runs.js'
import type { RememberedRun } from '../../pipeline/history/history.js'
import type { Change, ChangeCounts } from '../../pipeline/rules/change-kinds.js'
import { tableLines } from './fit-text.js'

/** What is shown of changes: how many of each kind there are, and the first of them. */
export interface ShownChanges {
  readonly pair: RunPair
  readonly counts: ChangeCounts
  readonly first: readonly Change[]
}

const widthsMax = [18, 9, 28, 20, 90]

/** Counts by kind, and the first changes as a table of at most so many columns of a terminal, or where all of them are. */
export function changesText(
  shown: ShownChanges,
  columnCount: number,
  writtenTo: string | null = null,
): string {
  const { pair, counts, first } = shown
  const { older, newer } = pair
  const entries = Object.entries(counts)
  const total = entries.reduce((sum, [, count]) => sum + count, 0)
  const written = writtenTo === null || writtenTo === '-' ? '' : `  written  ${writtenTo}\n`
  const head = `Run ${newer.number} (${dayOf(newer)}) against run ${older.number} (${dayOf(older)}): `
  if (total === 0) return `${head}nothing changed\n${written}`
  return [
    `${head}${plural(total, 'change')}\n`,
    ...entries.map(([kind, count]) => `  ${kind.padEnd(widthsMax[0] ?? 0)}  ${formatCount(count)}\n`),
    writtenTo === null
      ? `\n${tableText(first, columnCount)}${restText(pair, total - first.length)}`
      : written,
  ].join('')
}

function restText({ older, newer }: RunPair, left: number): string {
  if (left === 0) return ''
  return `  … and ${formatCount(left)} more: enrich diff ${older.number}..${newer.number} -o changes.csv\n`
}

const dayOf = ({ startedAtMs }: RememberedRun): string =>
  new Date(startedAtMs).toISOString().slice(0, 16).replace('T', ' ')

function tableText(changes: readonly Change[], columnCount: number): string {
  return tableLines(changes.map(cellsOf), widthsMax, columnCount)
    .map((line) => `${line}\n`)
    .join('')
}

function cellsOf({ kind, rowKey, rowNumber, name, field, old, new: now }: Change): string[] {
  const values = field === null ? '' : `${old ?? '(none)'} → ${now ?? '(none)'}`
  return [kind, rowKey ?? `row ${rowNumber}`, name ?? '', field ?? '', values]
}
