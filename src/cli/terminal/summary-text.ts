import { fileURLToPath } from 'node:url'
import { isAddress } from '../../connectors/connectors.js'
import { formatOfPath } from '../../core/file-formats.js'
import { formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import { packageFolder } from '../../platform/native-package.js'
import { defaultPaths } from '../../config/options.js'
import { selectArguments, selectSourcesFlags } from '../config-flags.js'
import { quote, type ErrorLine } from './command-io.js'
import { formatFirst, formatSample } from '../../pipeline/history/read-history.js'
import { listSubmissions } from '../../core/money.js'
import { formatAlarm } from '../../core/alarms.js'
import { findEndReason, explainStop, type KindStop } from '../../pipeline/scheduler/scheduling.js'
import type { RunEvent, RunSummary } from '../../pipeline/history/run-figures.js'
import { formatCost, formatCounts, formatLookups, formatStage, formatSubmitted } from './lookup-text.js'

const deviationNamesMax = 3

/**
 * Formats the summary of a run. `command` is the command line as typed. `errorColumn` is the added column with the reason
 * for a missing answer; `null` if the output does not have it.
 */
export function formatSummary(
  summary: RunSummary,
  command: string,
  errorColumn: string | null,
  coverage: UnmatchedCoverage | null = null,
): string[] {
  const ended = findEndReason(summary)
  return [
    formatHeadline(summary),
    ...formatOutcomes(summary),
    ...formatFirstAnswers(summary),
    formatLookupLine(summary),
    ...summary.stages.flatMap((stage) => formatStage(stage, summary)),
    ...formatCost(summary),
    ...formatRequests(summary),
    ...formatOutputs(summary),
    ...summary.alarms.map((alarm) => `  alarm     ${formatAlarm(alarm)}`),
    ...summary.notes.map((note) => `  note      ${note}`),
    ...formatDeviations(summary),
    ...(coverage === null || coverage.without === null || ended !== null
      ? []
      : [
          `  note      no company found, and no open register known for these countries: ${coverage.without}`,
        ]),
    ...(ended === null ? formatAttention(summary, command, errorColumn) : formatStop(ended, command)),
    ...[...suggestNextSteps(summary, command, coverage), ...suggestShow(summary.outputPaths, command)].map(
      ({ text, page, command: typed }) =>
        `  next      ${text}: ${typed}${page === null ? '' : `   (see ${fileURLToPath(new URL(page, packageFolder))})`}`,
    ),
  ]
}

interface NextStep {
  /** Purpose of the command. */
  readonly text: string
  /** Command line to type. */
  readonly command: string
  /** Page of the documentation in the folder of the package, or `null`. */
  readonly page: string | null
}

export const reviewFlagGroups = ['config', 'input', 'checkpoint', 'decisions', 'service', 'review'] as const

/** Registers for the countries of rows without a company, in words. */
export interface UnmatchedCoverage {
  /** The command that loads registers, or lists them; `null` if none helps. */
  readonly step: NextStep | null
  /** Countries with their numbers of rows that have no open register; `null` without any. */
  readonly without: string | null
}

const isUnmatched = ([status]: [string, number]) => status === 'no_match' || status === 'not_found'
const sum = (counts: readonly [string, number][]) => counts.reduce((total, [, some]) => total + some, 0)

/** Counts rows without a company. A row that a reviewer decided is no gap of the registry. */
export const countUnmatched = ({ review, rowsByStatus }: RunSummary): number =>
  sum(Object.entries(review?.rowsByStatus ?? rowsByStatus).filter(isUnmatched))

/** Suggests to review doubtful rows, and to load registers if the registry lacks companies. Empty after a stop. */
export function suggestNextSteps(
  summary: RunSummary,
  command: string,
  coverage: UnmatchedCoverage | null = null,
): NextStep[] {
  if (findEndReason(summary) !== null) return []
  const { rowCount, review } = summary
  const open = Object.entries(review?.rowsByStatus ?? {})
  const openUnmatched = sum(open.filter(isUnmatched))
  const doubtful = sum(open)
  const unmatched = countUnmatched(summary)
  const withoutCompany = openUnmatched === 0 ? '' : ` (${formatCount(openUnmatched)} without a company)`
  const typed = buildReviewCommand(command)
  return [
    ...(doubtful > 0 && typed !== null
      ? [{ text: `${plural(doubtful, 'doubtful row')}${withoutCompany}`, command: typed, page: null }]
      : []),
    ...(summary.isDemo === true && unmatched > 0
      ? [
          {
            text: `${formatCount(unmatched)} of ${plural(rowCount, 'row')} without a company in the demo registry`,
            command: buildSourcesCommand(command),
            page: 'docs/manual/registers.md#which-register-helps',
          },
        ]
      : []),
    ...(coverage === null || coverage.step === null ? [] : [coverage.step]),
    ...(summary.alarms.some(({ names = [] }) => names.length > 0) ? [suggestDiff(command)] : []),
  ]
}

function suggestDiff(command: string): NextStep {
  const kept = selectArguments(command.match(shellWords) ?? [], ['config', 'checkpoint'], false)
  return { text: 'all changes', command: [getProgram(command), 'diff', ...kept].join(' '), page: null }
}

/** Suggests the command that shows the rows of an output; empty for standard output and unusual file names. */
export function suggestShow([path = '-']: readonly string[], command: string): NextStep[] {
  if (!isAddress(path) && formatOfPath(path) === null) return []
  const named = selectArguments(command.match(shellWords) ?? [], ['input'], false, ['name-column'])
  return [
    {
      text: 'see the rows',
      command: [getProgram(command), 'show', quote(path), ...named].join(' '),
      page: null,
    },
  ]
}

const ofRun = /^(.*?\benrich)(?: (?:run|retry))?(?= |$)/

export const getProgram = (command: string): string => ofRun.exec(command)?.[1] ?? 'enrich'

/** Turns `enrich a.csv -o b` into `enrich review a.csv`; `null` for standard input or no command line. */
function buildReviewCommand(command: string): string | null {
  if (!ofRun.test(command)) return null
  const words = command.replace(ofRun, '').match(shellWords) ?? []
  const kept = selectArguments(words, reviewFlagGroups)
  return kept.includes('-') ? null : [getProgram(command), 'review', ...kept].join(' ')
}

/** Selects the flags of a run for its output and its report, as typed, without `-o`, alarms and its file of changes, which would be lost. */
export function selectOutputFlags(command: string): string[] {
  const words = command.replace(ofRun, '').match(shellWords) ?? []
  const alone = /^(-o|--output|--changes|--fail-on|--notify|--metrics-file)$/
  const joined = /^'?(-o|--(output|changes|fail-on|notify|metrics-file)=)./
  return selectArguments(words, ['output', 'reporting'], false).filter(
    (word, at, all) => !alone.test(word) && !joined.test(word) && !alone.test(all[at - 1] ?? ''),
  )
}

/**
 * Turns `enrich a.csv -o b` into `enrich registry sources a.csv`, with the config and the flags that say how the list is
 * read. Standard input and patterns are left out.
 */
export function buildSourcesCommand(command: string): string {
  const words = command.replace(ofRun, '').match(shellWords) ?? []
  const inputs = ofRun.test(command) ? selectArguments(words, []) : ['-']
  const isOpen = inputs.some((input) => input === '-' || input.includes('*'))
  const named = selectArguments(words, ['config'], false)
  const config = inputs.length + named.length === 0 ? ['--config', defaultPaths.config] : named
  const list = isOpen ? [] : [...inputs, ...config, ...selectSourcesFlags(words)]
  return [getProgram(command), 'registry', 'sources', ...list].join(' ')
}

function formatHeadline(summary: RunSummary): string {
  const rows = `${plural(summary.rowCount, 'row')}, ${formatLookups(summary)}`
  const time = formatDuration(summary.elapsedMs)
  return findEndReason(summary) === null ? `Done in ${time}: ${rows}.` : `Stopped after ${time}: ${rows}.`
}

function formatOutcomes(summary: RunSummary): string[] {
  const rows = formatCounts(summary.rowsByStatus)
  const answered = formatCounts(summary.outcomes)
  return [
    ...(rows === '' ? [] : [`  rows      ${rows}`]),
    ...(answered === '' ? [] : [`  answers   ${answered}   (new in this run)`]),
  ]
}

/** Empty unless an own registry answered first. */
function formatFirstAnswers({ first }: RunSummary): string[] {
  if (first === undefined) return []
  const sample = first.sample === null ? [] : [`  sample    ${formatSample(first.sample)}`]
  return [`  registry  ${formatFirst(first)}`, ...sample]
}

function formatLookupLine(summary: RunSummary): string {
  return `  lookups   ${[
    `${formatCount(summary.cachedCount)} answered before`,
    ...(summary.decidedCount === 0 ? [] : [`${formatCount(summary.decidedCount)} decided by reviewers`]),
    formatSubmitted('resolution', summary),
    ...(summary.claimedCount === 0 ? [] : [`${formatCount(summary.claimedCount)} found again by webhook`]),
    ...formatUncertain(summary),
    ...(summary.failedCount === 0 ? [] : [`${formatCount(summary.failedCount)} failed`]),
    ...(summary.rejectedCount === 0 ? [] : [`${formatCount(summary.rejectedCount)} refused as invalid`]),
    ...(summary.pendingCount === 0 ? [] : [`${formatCount(summary.pendingCount)} without an answer yet`]),
  ].join(' · ')}`
}

/** The count covers all runs, the cost only this run: so earlier ones are named. */
function formatUncertain(summary: RunSummary): string[] {
  const { uncertainCount } = summary
  const own = listSubmissions(summary).find(({ kind }) => kind === 'resolution')?.uncertainCount ?? 0
  const earlierCount = Math.max(0, uncertainCount - own)
  const earlier = earlierCount === 0 ? '' : `, ${formatCount(earlierCount)} of them in earlier runs`
  return uncertainCount === 0 ? [] : [`${formatCount(uncertainCount)} uncertain${earlier}`]
}

/** Empty if no request was sent. */
function formatRequests(summary: RunSummary): string[] {
  const { pollCount, billedCount, rateLimitedCount, deliveries } = summary
  if (pollCount + billedCount + rateLimitedCount + deliveries.taken === 0) return []
  const perResult =
    summary.pollsPerResult === null ? '' : ` (${summary.pollsPerResult.toFixed(2)} per answer)`
  const limited =
    summary.rateLimitedCount === 0 ? '' : ` · ${formatCount(summary.rateLimitedCount)} times rate limited`
  const webhooks = deliveries.taken === 0 ? '' : ` · ${plural(deliveries.taken, 'webhook')}`
  return [
    `  requests  ${formatCount(Math.round(summary.submissionsPerMinute))} submissions a minute · ${plural(summary.pollCount, 'poll')}${perResult}${webhooks}${limited}`,
  ]
}

function formatOutputs(summary: RunSummary): string[] {
  return summary.outputPaths.map((path) => `  written   ${path}`)
}

/** Lists the first deviations from the interface; --json has them all. */
function formatDeviations(summary: RunSummary): string[] {
  const schemaDeviations = Object.entries(summary.schemaDeviations).sort(([, a], [, b]) => b - a)
  if (schemaDeviations.length === 0) return []
  const named = schemaDeviations.slice(0, deviationNamesMax).map(([what]) => what)
  const rest = schemaDeviations.length > deviationNamesMax ? ', …' : ''
  return [
    `  note      the service's answers differ from the interface in ${plural(schemaDeviations.length, 'way')}, kept unchanged: ${named.join(', ')}${rest}`,
  ]
}

function formatStop(ended: KindStop, command: string): string[] {
  return [
    ...formatStopError(ended),
    `  resume    ${command}`,
    `  export    ${buildExportCommand(command)}   (writes the answers so far)`,
  ]
}

/** Formats a stop like an error; an interruption has no code. */
export function formatStopError(ended: KindStop): string[] {
  const explained = explainStop(ended)
  const saved =
    ended.submittedCount === 0
      ? 'This run submitted nothing.'
      : 'All submitted lookups are recorded; none is submitted twice.'
  return explained === null
    ? [`Interrupted. ${saved}`]
    : [`error ${explained.code}: ${explained.message}`, `  hint: ${explained.hint}`]
}

function formatAttention(summary: RunSummary, command: string, errorColumn: string | null): string[] {
  const reason = errorColumn === null ? '' : `; the column ${errorColumn} gives the reason`
  const billed = summary.service === 'hosted' ? '   (each is billed again)' : ''
  const whole = [summary, ...summary.stages]
  const has = (what: 'uncertainCount' | 'failedCount' | 'pendingCount') =>
    whole.some((kind) => kind[what] > 0)
  return [
    ...(summary.invalidRowCount === 0
      ? []
      : [
          `  note      ${plural(summary.invalidRowCount, 'row')} without a usable company name, number or domain: not looked up, not billed${reason}`,
        ]),
    ...(has('uncertainCount')
      ? [
          '  next      enrich status --uncertain   (lists submissions that may have been billed; enrich reconcile LEDGER.csv settles them, free; --resubmit-uncertain submits them again)',
        ]
      : []),
    ...(has('failedCount') ? [`  next      ${buildRetryCommand(command)}${billed}`] : []),
    ...(has('pendingCount') ? [`  next      ${command}   (fetches the missing answers)`] : []),
  ]
}

/** Flags that `enrich export` does not take, and `--json`. */
const askingSwitches =
  /^--(partial|resubmit-uncertain|accept-rollback|accept-doubtful-input|json|quiet|watch)$/
const askingSettings =
  /^'?--(max-age|max-lookups|max-cost|max-duration|fail-on|notify|metrics-file|log-level|status|webhook-url|webhook-listen|row-key|changes|report|report-by|job|partition|watch)(=|$)/

/** The words of a shell command; quoted texts keep their quotes. */
const shellWords = /(?:'(?:'\\''|[^'])*'|[^\s'])+/g

/** Turns `enrich a.csv -o b` and `enrich run a.csv -o b` into `enrich export a.csv -o b`. */
export function buildExportCommand(command: string): string {
  const words = command.replace(ofRun, '$1 export').match(shellWords) ?? []
  const isValue = (at: number): boolean => {
    const flag = words[at - 1] ?? ''
    if (!askingSettings.test(flag) || flag.includes('=')) return false
    return flag !== '--watch' || words[at]?.startsWith('-') !== true
  }
  return words
    .filter((word, at) => !askingSwitches.test(word) && !askingSettings.test(word) && !isValue(at))
    .join(' ')
}

/** Returns the command of a run or a retry as it runs again, without flags for one time. */
export function buildRunCommand(command: string): string {
  const words = command.replace(/^(.*?\benrich) retry(?= |$)/, '$1').match(shellWords) ?? []
  const isOnce = (word: string) => /^--(?:resubmit-uncertain|accept-rollback|status(?:=.*)?)$/.test(word)
  const kept = words.filter((word, at) => !isOnce(word) && words[at - 1] !== '--status')
  return kept.length === getProgram(command).split(' ').length ? `${kept.join(' ')} run` : kept.join(' ')
}

export function buildRetryCommand(command: string): string {
  return `${command.replace(ofRun, '$1 retry').replace(/ --status[ =]\S+/, '')} --status failed`
}

/**
 * A line of `run` and `retry` with `--json`. `npm run docs` makes a JSON Schema of it.
 *
 * @public
 */
export type RunLine = Exclude<RunEvent, FinishedEvent> | FinishedLine | ErrorLine

type FinishedEvent = Extract<RunEvent, { type: 'finished' }>

/** The last line of a run that did not end with an error. */
interface FinishedLine extends FinishedEvent {
  /** Only if the run stopped early: the `code`, `message` and `hint` of the error, or the code `INTERRUPTED`. */
  stopped?: NonNullable<ReturnType<typeof explainStop>> | { code: 'INTERRUPTED' }
  /** Suggested next commands. */
  next: readonly NextStep[]
}

/** Adds the error of a stop and the next steps to the event of the end. */
export function toRunLine(
  event: RunEvent,
  command: string,
  coverage: UnmatchedCoverage | null = null,
): RunLine {
  if (event.type !== 'finished') return event
  const ended = findEndReason(event.summary)
  const stopped = ended === null ? {} : { stopped: explainStop(ended) ?? ({ code: 'INTERRUPTED' } as const) }
  const next = [
    ...suggestNextSteps(event.summary, command, coverage),
    ...suggestShow(event.summary.outputPaths, command),
  ]
  return { ...event, ...stopped, next }
}
