import type { PublishedEntry, PublishedOutput } from '../pipeline/history/history.js'
import { parsePublishedState, publishedStatusOf } from '../pipeline/rules/published-state.js'
import { needsPerson } from './outcome-groups.js'
import { reportLimits, type AttentionEntry, type ReportAttention } from './report-data.js'

/** Entries that are in memory at one time. */
const batchEntries = 1_000

interface Waiting {
  readonly number: number
  readonly rowCount: number
}

/** Rows of an output that no answer settles. Throws HISTORY_VERSION. */
export function attentionOf(output: PublishedOutput): ReportAttention {
  const { attentionMax } = reportLimits
  let rowCount = 0
  let largest: Waiting[] = []
  for (const batch of batchesOf(countsOf(output.rows))) {
    const counts = new Map(batch.map(({ number, rowCount: count }) => [number, count]))
    for (const [number, { state }] of output.entries(counts.keys())) {
      if (!needsPerson(publishedStatusOf(state) ?? '')) continue
      const count = counts.get(number) ?? 0
      rowCount += count
      largest.push({ number, rowCount: count })
    }
    if (largest.length > attentionMax * 10) largest = sorted(largest).slice(0, attentionMax)
  }
  return { rowCount, entries: entriesOf(output, sorted(largest).slice(0, attentionMax)) }
}

const sorted = (waiting: readonly Waiting[]): Waiting[] =>
  [...waiting].sort((one, other) => other.rowCount - one.rowCount || one.number - other.number)

/** Each entry with how many rows have it. */
function* countsOf(rows: Uint32Array): Generator<Waiting> {
  const ordered = rows.slice().sort()
  for (let start = 0; start < ordered.length;) {
    const number = ordered[start] ?? 0
    let end = start + 1
    while (ordered[end] === number) end++
    yield { number, rowCount: end - start }
    start = end
  }
}

function* batchesOf(counts: Iterable<Waiting>): Generator<Waiting[]> {
  let batch: Waiting[] = []
  for (const count of counts) {
    batch.push(count)
    if (batch.length < batchEntries) continue
    yield batch
    batch = []
  }
  yield batch
}

/** Those of most rows first, and those of as many in the order of their rows. */
function entriesOf(output: PublishedOutput, largest: readonly Waiting[]): AttentionEntry[] {
  const firstRows = new Map(largest.map(({ number }) => [number, 0]))
  for (const [index, number] of output.rows.entries())
    if (firstRows.get(number) === 0) firstRows.set(number, index + 1)
  const counts = new Map(largest.map(({ number, rowCount }) => [number, rowCount]))
  return [...output.entries(counts.keys())]
    .map(([number, entry]) =>
      attentionEntry(entry, { rowNumber: firstRows.get(number) ?? 0, rowCount: counts.get(number) ?? 0 }),
    )
    .sort((one, other) => other.rowCount - one.rowCount || one.rowNumber - other.rowNumber)
}

function attentionEntry(
  { rowKey, name, state }: PublishedEntry,
  place: Pick<AttentionEntry, 'rowNumber' | 'rowCount'>,
): AttentionEntry {
  const fields = parsePublishedState(state)
  const confidence = fields.get('confidence')
  const found = fields.get('display_name') ?? fields.get('legal_name') ?? fields.get('entity_id')
  return {
    ...place,
    ...{ rowKey, name },
    status: fields.get('status')?.value ?? '',
    confidence: confidence === undefined ? null : Number(confidence.value),
    found: found?.value ?? null,
    source: fields.get('status')?.source ?? fields.get('entity_id')?.source ?? found?.source ?? null,
  }
}
