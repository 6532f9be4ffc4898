import { formatDuration } from '../core/duration.js'
import { explainStop } from '../core/stop.js'
import { needsAttention, type RunSummary } from '../pipeline/summary.js'

const number = (value: number): string => value.toLocaleString('en-US')
const oddityLinesMax = 5

/** The closing summary, for people; `command` is the one that was typed. */
export function summaryLines(summary: RunSummary, command: string): string[] {
  const { stop } = summary
  return [
    headline(summary),
    ...outcomeLines(summary),
    lookupLine(summary),
    askingLine(summary),
    ...fileLines(summary),
    ...summary.notes.map((note) => `  note      ${note}`),
    ...oddityLines(summary),
    ...(stop === null ? attentionLines(summary, command) : stopLines(summary, command)),
  ]
}

function headline(summary: RunSummary): string {
  const rows = `${number(summary.rowCount)} rows, ${number(summary.lookupCount)} distinct lookups`
  const time = formatDuration(summary.elapsedMs)
  return summary.stop === null ? `Done in ${time}: ${rows}.` : `Stopped after ${time}: ${rows}.`
}

function outcomeLines(summary: RunSummary): string[] {
  const rows = counts(summary.rowsByStatus)
  const answered = counts(summary.outcomes)
  return [
    ...(rows === '' ? [] : [`  rows      ${rows}`]),
    ...(answered === '' ? [] : [`  answers   ${answered}`]),
  ]
}

function counts(record: Readonly<Record<string, number>>): string {
  return Object.entries(record)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${number(count)}`)
    .join(' · ')
}

function lookupLine(summary: RunSummary): string {
  return `  lookups   ${[
    `${number(summary.cachedCount)} answered before`,
    `${number(summary.billedCount)} submitted and billed`,
    ...(summary.uncertainCount === 0 ? [] : [`${number(summary.uncertainCount)} uncertain`]),
    ...(summary.failedCount === 0 ? [] : [`${number(summary.failedCount)} failed`]),
    ...(summary.pendingCount === 0 ? [] : [`${number(summary.pendingCount)} without an answer yet`]),
  ].join(' · ')}`
}

function askingLine(summary: RunSummary): string {
  const perResult = summary.pollsPerResult === null ? '' : ` (${summary.pollsPerResult.toFixed(2)} a result)`
  const limited =
    summary.rateLimitedCount === 0 ? '' : ` · ${number(summary.rateLimitedCount)} times told to wait`
  return `  asking    ${number(summary.pollCount)} polls${perResult} · ${number(Math.round(summary.submissionsPerMinute))} submissions a minute${limited}`
}

function fileLines(summary: RunSummary): string[] {
  return summary.outputPaths.map((path) => `  written   ${path}`)
}

function oddityLines(summary: RunSummary): string[] {
  const oddities = Object.entries(summary.oddities).sort(([, a], [, b]) => b - a)
  const shown = oddities
    .slice(0, oddityLinesMax)
    .map(
      ([what, count]) =>
        `  note      the service sent something new, kept as it came: ${what} (${number(count)})`,
    )
  const rest = oddities.length - oddityLinesMax
  return rest > 0 ? [...shown, `  note      … and ${number(rest)} more kinds`] : shown
}

function stopLines(summary: RunSummary, command: string): string[] {
  if (summary.stop === null) return []
  const explained = explainStop(summary.stop)
  return [
    explained === null ? 'Interrupted.' : `${explained.code}: ${explained.message}`,
    ...(explained === null ? [] : [`  hint      ${explained.hint}`]),
    `  resume    ${command}`,
    `  export    ${exportCommand(command)}   (what is known now)`,
  ]
}

function attentionLines(summary: RunSummary, command: string): string[] {
  if (!needsAttention(summary)) return []
  return [
    ...(summary.invalidRowCount === 0
      ? []
      : [
          `  next      ${number(summary.invalidRowCount)} rows ask for nothing: enrich_error says why; they cost nothing`,
        ]),
    ...(summary.uncertainCount === 0
      ? []
      : [
          '  next      enrich status --uncertain lists what may have been billed; --resubmit-uncertain asks again',
        ]),
    ...(summary.failedCount === 0 ? [] : [`  next      ${retryCommand(command)}   (each is billed again)`]),
    ...(summary.pendingCount === 0 ? [] : [`  next      ${command}   (asks for the missing answers again)`]),
  ]
}

/** Flags that only asking takes. */
const askingFlags =
  / --(partial|resubmit-uncertain|json|quiet)\b| --(max-age|max-lookups|max-duration|log-level|status)[ =]\S+/g

/** `enrich a.csv -o b` and `enrich run a.csv -o b` become `enrich export a.csv -o b`. */
function exportCommand(command: string): string {
  return command.replace(/^enrich (run |retry )?/, 'enrich export ').replace(askingFlags, '')
}

function retryCommand(command: string): string {
  return `${command.replace(/^enrich (run |retry )?/, 'enrich retry ').replace(/ --status[ =]\S+/, '')} --status failed`
}
