import { formatAlarm } from '../../core/alarms.js'
import { formatCount, plural, cutToWidth, measureWidth } from '../../core/text.js'
import { formatColumnLines, planWords, formatLookups } from './lookup-text.js'
import { formatSpending } from '../../core/planned-spending.js'
import { formatProgressLine, buildProgressParts, sumStages } from './progress-text.js'
import type { Progress, RunEvent, RunSummary } from '../../pipeline/history/run-figures.js'
import { findEndReason } from '../../pipeline/scheduler/scheduling.js'
import { formatCommandLine, type CliIo } from './command-io.js'
import { formatStopError, formatSummary, toRunLine, type UnmatchedCoverage } from './summary-text.js'

/** Finds registers for the rows of a run without a company; `null` if none helps. */
export type CoverageFinder = (summary: RunSummary) => UnmatchedCoverage | null

export interface ReporterFlags {
  json?: boolean
  quiet?: boolean
  logLevel?: 'error' | 'warn' | 'info' | 'debug'
}

/** Interval of progress lines if there is no terminal. */
const lineIntervalMs = 10_000

/** Prints a run's events: JSON lines on standard output, or text and a progress bar on standard error. */
export function createReporter(
  io: CliIo,
  flags: ReporterFlags,
  errorColumn: string | null,
  findCoverage: CoverageFinder = () => null,
): { tell(event: RunEvent): void } {
  const isQuiet = flags.quiet === true || flags.logLevel === 'error'
  const words = isQuiet ? null : new TextReporter(io, flags, errorColumn, findCoverage)
  return {
    tell(event) {
      const coverage = event.type === 'finished' ? findCoverage(event.summary) : null
      if (flags.json === true)
        io.out(`${JSON.stringify(toRunLine(event, formatCommandLine(io), coverage))}\n`)
      if (words !== null) words.tell(event)
      else if (event.type === 'notice' && event.isAlarm === true) io.err(`warning ${event.text}\n`)
      else if (event.type === 'finished') {
        const ended = findEndReason(event.summary)
        if (ended !== null) io.err(`${formatStopError(ended).join('\n')}\n`)
        for (const alarm of event.summary.alarms) io.err(`alarm ${formatAlarm(alarm)}\n`)
      }
    },
  }
}

class TextReporter {
  readonly #io: CliIo
  readonly #errorColumn: string | null
  readonly #isVerbose: boolean
  readonly #isDebug: boolean
  readonly #printedLines = new Set<string>()
  #lastLineAtMs = 0

  constructor(
    io: CliIo,
    flags: ReporterFlags,
    errorColumn: string | null,
    private readonly findCoverage: CoverageFinder,
  ) {
    this.#io = io
    this.#errorColumn = errorColumn
    this.#isVerbose = flags.logLevel !== 'warn'
    this.#isDebug = flags.logLevel === 'debug'
  }

  tell(event: RunEvent): void {
    switch (event.type) {
      case 'notice':
        if (this.#isVerbose || event.isWarning === true) this.#printLine(event.text)
        return
      case 'columns':
        if (this.#isVerbose) for (const line of formatColumnLines(event)) this.#printLine(capitalize(line))
        return
      case 'planned':
        if (!this.#isVerbose) return
        this.#printLine(formatPlanned(event))
        // Without a price and a budget, the line would only repeat the number of lookups.
        if (event.spending !== null && (event.spending.cost ?? event.spending.stop) !== null)
          this.#printLine(`Cost: ${formatSpending(event.spending)}`)
        return
      case 'progress':
        if (this.#isVerbose) this.#showProgress(event.progress)
        return
      case 'publishing':
        this.#showPublishing(event.path)
        return
      case 'finished': {
        const notes = event.summary.notes.filter((note) => !this.#printedLines.has(note))
        const summary = { ...event.summary, notes }
        const command = formatCommandLine(this.#io)
        const coverage = this.findCoverage(summary)
        for (const line of formatSummary(summary, command, this.#errorColumn, coverage))
          if (this.#isVerbose || /^( {2}note| {2}alarm|error | {2}hint|Interrupted)/.test(line))
            this.#printLine(line)
      }
    }
  }

  #showProgress(progress: Progress): void {
    if (this.#io.isTerminal) {
      this.#io.draw((columnCount) => formatProgressBar(progress, columnCount))
      return
    }
    if (progress.elapsedMs - this.#lastLineAtMs < lineIntervalMs && !this.#isDebug) return
    this.#lastLineAtMs = progress.elapsedMs
    this.#printLine(formatProgressLine(progress))
  }

  /** Shows the output being written, which takes a minute for a million rows. */
  #showPublishing(path: string): void {
    if (this.#isDebug) this.#printLine(`Writing ${path}`)
    else if (this.#isVerbose && this.#io.isTerminal) this.#io.draw(() => `Writing ${path} …`)
  }

  #printLine(text: string): void {
    this.#printedLines.add(text)
    this.#io.err(`${text}\n`)
  }
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function formatPlanned({ rowCount, plan, ...lookups }: Extract<RunEvent, { type: 'planned' }>): string {
  const known = Object.entries(plan)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${formatCount(count)} ${planWords[name] ?? name}`)
  const rows = plural(rowCount, 'row')
  return `${rows}, ${formatLookups(lookups)}: ${known.join(', ') || 'nothing to look up'}`
}

const barCellsMax = 20
const barCellsMin = 5
/** Width of the longest remaining time, except for runs of weeks. */
const etaColumns = measureWidth(' · ETA 59m59s')

/** Formats progress as one line of a terminal: a bar, then the numbers that fit. */
export function formatProgressBar(progress: Progress, columnCount: number): string {
  // A terminal wraps a line that fills its width.
  const columnsMax = Math.max(0, columnCount - 1)
  const cells = countBarCells(progress, columnsMax)
  const beside = cells === 0 ? null : fitLine(progress, columnsMax - cells - 3)
  if (beside !== null) return `[${renderBar(progress, cells)}] ${beside}`
  const sign = getSpinnerSign(progress)
  const line = fitLine(progress, columnsMax - 2) ?? formatShortest(progress)
  return cutToWidth(sign === '' ? line : `${sign} ${line}`, columnsMax)
}

/** Depends only on the width of the terminal and the number of lookups, so that the width of the bar is constant. */
function countBarCells({ lookups }: Progress, columnsMax: number): number {
  const done = `${formatCount(lookups)}/${formatCount(lookups)} done`
  const room = columnsMax - measureWidth(done) - etaColumns - 3
  const cells = Math.min(barCellsMax, Math.max(barCellsMin, Math.floor(columnsMax / 8)), room)
  return cells < barCellsMin ? 0 : cells
}

/** Drops the parts that do not fit; `null` if even the counts and the remaining time do not fit. */
function fitLine(progress: Progress, columnsMax: number): string | null {
  const parts = buildProgressParts(progress)
  for (;;) {
    const line = parts.map(({ text }) => text).join(' · ')
    if (measureWidth(line) <= columnsMax) return line
    if (parts.length <= 2) return null
    const weightMin = Math.min(...parts.map(({ weight }) => weight))
    parts.splice(
      parts.findIndex(({ weight }) => weight === weightMin),
      1,
    )
  }
}

function formatShortest(progress: Progress): string {
  const { done, lookups } = sumStages(progress)
  return `${Math.floor((done / Math.max(1, lookups)) * 100)}% of ${formatCount(lookups)}`
}

function renderBar(progress: Progress, cells: number): string {
  const { done, lookups } = sumStages(progress)
  const filled = lookups === 0 ? cells : Math.floor((done / lookups) * cells)
  return filled === cells
    ? '#'.repeat(cells)
    : `${'#'.repeat(filled)}${getSpinnerSign(progress)}`.padEnd(cells, '-')
}

/** Spins once a second, to show activity before the first answers. Empty at the end. */
function getSpinnerSign(progress: Progress): string {
  const { done, lookups } = sumStages(progress)
  return done === lookups ? '' : ('|/-\\'[Math.floor(progress.elapsedMs / 1_000) % 4] ?? '')
}
