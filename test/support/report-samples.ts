import { jsonOnlyStrings, naughtyStrings } from '../hostile/naughty-strings.js'
import { changeKinds, type ChangeKind } from '../../src/core/alarms.js'
import type { OutputFigures, RunRecord, RememberedRun } from '../../src/pipeline/history/run-record.js'
import type { RunSummary, TimelinePoint } from '../../src/pipeline/history/run-summary.js'
import type { AttentionEntry, ReportChange, ReportData } from '../../src/report/report-data.js'

/** Words of a cell, by what they are of and which: the same each time. */
export type Words = (what: string, index: number) => string

/** Words that somebody has in a cell, each of them in each field in turn. */
const hostileWords: readonly string[] = [
  ...naughtyStrings,
  ...jsonOnlyStrings,
  '</script><script>document.title = "ran"</script>',
  '</style><style>body { display: none }</style>',
  '</title></bdi></td></table></main><h1>taken</h1>',
  "' onmouseover='document.title=1' x='",
  '" autofocus onfocus="document.title=1',
  'javascript:document.title=1',
  ' JaVaScRiPt:document.title=1',
  'data:text/html,<script>document.title=1</script>',
  'https://user:password@example.com/',
  'http://[::1',
  'https://example.com/"><img src=x onerror=document.title=1>',
  '<svg onload=document.title=1>',
  '&lt;b&gt; &amp; &#0;',
  'W'.repeat(4_000),
  '\ud800 half \udfff',
  '\u202e\u202d\u2066'.repeat(40),
]

/** No two fields are hostile in one manner: each word comes to each field. */
export const hostile: Words = (what, index) =>
  hostileWords[(index + what.length * 7) % hostileWords.length] ?? ''

const plainWords: Words = (what, index) => `${what} ${index + 1}`

const firstNightMs = Date.UTC(2026, 0, 1, 2, 0)
const dayMs = 86_400_000

export function sampleFigures(
  rowCount: number,
  words: Words = plainWords,
  matchedShare = 0.964,
): OutputFigures {
  const matched = Math.round(rowCount * matchedShare)
  const rest = rowCount - matched
  const part = (share: number) => Math.floor(rest * share)
  const rowsByStatus = {
    matched,
    partial_match: part(0.3),
    inconclusive: part(0.2),
    no_match: part(0.3),
    failed: part(0.05),
    invalid_input: part(0.02),
    uncertain: rest - part(0.3) - part(0.2) - part(0.3) - part(0.05) - part(0.02),
  }
  const rowsByConfidence = Array.from({ length: 101 }, (_, confidence) =>
    confidence < 40 ? 0 : Math.round((rowCount / 300) * Math.exp((confidence - 96) / 9)) + (confidence % 3),
  )
  const groups = (what: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      value: index === 3 ? null : words(what, index),
      rowCount: Math.round(rowCount / (index + 2)),
      matchedCount: Math.round((rowCount / (index + 2)) * Math.max(0, 0.99 - index * 0.03)),
    }))
  return {
    rowCount,
    rowsByStatus,
    rowsByConfidence,
    byCountry: groups('country', 31),
    byColumn: { column: words('column', 0), groups: groups('group', 300) },
  }
}

function sampleSummary(over: Partial<RunSummary> = {}): RunSummary {
  return {
    service: 'hosted',
    stop: null,
    outputPaths: ['out.parquet'],
    rowCount: 12_345,
    invalidRowCount: 2,
    domainCount: 0,
    lookupCount: 11_000,
    cachedCount: 10_800,
    decidedCount: 0,
    billedCount: 200,
    claimedCount: 0,
    uncertainCount: 1,
    failedCount: 3,
    rejectedCount: 0,
    pendingCount: 0,
    pollCount: 412,
    answeredCount: 199,
    pollsPerResult: 2.07,
    rateLimitedCount: 4,
    misdirectedCount: 0,
    heldCount: 0,
    contradictionCount: 0,
    deliveries: { taken: 0, unclaimed: 0, quarantined: 0 },
    rowsByStatus: {},
    outcomes: {},
    schemaDeviations: {},
    basisLineCount: 0,
    stages: [],
    money: null,
    alarms: [],
    notes: [],
    elapsedMs: 754_000,
    submissionsPerMinute: 580,
    ...over,
  }
}

/** A run that worked for ten minutes, with a spell of 429s in its middle. */
export const sampleTimeline: readonly TimelinePoint[] = Array.from({ length: 61 }, (_, index) => ({
  elapsedMs: index * 10_000,
  submissions: Math.min(5_000, index * 100),
  polls: Math.round(index ** 1.7 * 10),
  answered: Math.round(Math.max(0, index - 6) ** 1.1 * 60),
  rateLimited: Math.max(0, Math.min(index, 34) - 28) * 3,
}))

function sampleRecord(over: Partial<RunRecord> = {}, words: Words = plainWords): RunRecord {
  return {
    version: 1,
    program: '0.1.0',
    command: `enrich ${words('input', 0)} -o out.parquet --fail-on 'lost_match>5'`,
    service: 'hosted',
    scope: 'https://api.example.com',
    input: { paths: [words('input', 0)], format: 'csv', sha256: 'a'.repeat(64) },
    settings: {
      input: { columns: { name: words('column', 1) } },
      limits: { submitPerMinute: 600 },
      stages: ['entity'],
    },
    summary: sampleSummary(),
    error: null,
    money: {
      currency: 'EUR',
      cost: 12.3,
      uncertainCost: 0.06,
      byKind: { resolution: { count: 205, unitPrice: 0.06 } },
    },
    figures: sampleFigures(12_345, words),
    timeline: sampleTimeline,
    changes: null,
    alarms: [],
    ...over,
  }
}

export function sampleRun(
  number: number,
  record: Partial<RunRecord> = {},
  over: Partial<RememberedRun> = {},
  words: Words = plainWords,
): RememberedRun {
  const startedAtMs = firstNightMs + number * dayMs
  return {
    number,
    series: words('job', 0),
    startedAtMs,
    endedAtMs: startedAtMs + 754_000,
    exitCode: 3,
    isPublished: true,
    baseline: number === 1 ? null : number - 1,
    record: sampleRecord(record, words),
    ...over,
  }
}

export function sampleChange(kind: ChangeKind, index: number, words: Words = plainWords): ReportChange {
  const isWhole = kind === 'new_row' || kind === 'row_gone'
  return {
    kind,
    rowKey: index % 2 === 0 ? words('key', index) : null,
    rowNumber: index * 7 + 1,
    name: words('name', index),
    field: isWhole ? null : 'legal_name',
    old: isWhole ? null : words('old', index),
    new: isWhole ? null : words('new', index),
    oldSource: isWhole ? null : `https://example.com/register/${index}?before`,
    newSource: isWhole ? null : words('source', index),
    oldEntityId: `ent_${index}`,
    newEntityId: `ent_${index}`,
    run: 31,
    rowCount: Math.max(1, 40 - index),
  }
}

function sampleAttention(index: number, words: Words = plainWords): AttentionEntry {
  const statuses = ['partial_match', 'inconclusive', 'uncertain', 'failed']
  return {
    rowNumber: index * 3 + 1,
    rowCount: Math.max(1, 60 - index),
    rowKey: index % 2 === 0 ? null : words('key', index),
    name: words('name', index),
    status: statuses[index % statuses.length] ?? '',
    confidence: index % 4 === 0 ? 40 + (index % 40) : null,
    found: index % 4 === 0 ? words('found', index) : null,
    reason: index % 3 === 0 ? words('reason', index) : null,
    source: words('source', index),
  }
}

/** The report of a thirty-first night, with something of everything. */
export function sampleReport(
  options: { words?: Words; rowCount?: number; changeCount?: number } = {},
): ReportData {
  const { words = plainWords, rowCount = 12_345, changeCount = 43 } = options
  const nights = Array.from({ length: 30 }, (_, index) => {
    const number = 30 - index
    const cost = number === 3 ? 740 : 8 + ((number * 7) % 9)
    const money = { currency: 'EUR', cost, uncertainCost: 0, byKind: {} }
    const share = number === 17 ? 0.71 : 0.95 + ((number * 3) % 5) / 400
    return sampleRun(number, { figures: sampleFigures(rowCount, words, share), money }, {}, words)
  })
  const counts = Object.fromEntries(
    changeKinds.map((kind, index) => [kind, Math.max(1, Math.round(changeCount / (index + 1)))]),
  )
  const figures = sampleFigures(rowCount, words)
  const run = sampleRun(
    31,
    {
      figures,
      changes: { baseline: 30, counts },
      alarms: [{ condition: 'lost_match>5', found: 12, message: '12 rows lost their match, more than 5' }],
    },
    { exitCode: 6 },
    words,
  )
  const reviewedCount = Math.round(rowCount * 0.02)
  return {
    run,
    earlier: nights,
    paid: [run, ...nights],
    changes: {
      baseline: 30,
      counts,
      largest: changeKinds.flatMap((kind) =>
        Array.from({ length: Math.min(100, counts[kind] ?? 0) }, (_, index) =>
          sampleChange(kind, index, words),
        ),
      ),
    },
    review: {
      rowCount: reviewedCount,
      entries: Array.from({ length: Math.min(300, reviewedCount) }, (_, index) =>
        sampleAttention(index, words),
      ),
    },
    unanswered: {
      rowCount: Math.min(3, reviewedCount),
      entries: Array.from({ length: Math.min(3, reviewedCount) }, (_, index) =>
        sampleAttention(index, words),
      ),
    },
    madeAtMs: firstNightMs + 31 * dayMs + 755_000,
  }
}
