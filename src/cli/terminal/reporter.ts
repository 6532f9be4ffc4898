import { columnLines } from '../../pipeline/rules/column-report.js'
import { progressLine, progressParts, wholeOf, type Progress } from '../../pipeline/rules/progress.js'
import { endedBy, explainStop } from '../../pipeline/rules/stop.js'
import type { RunEvent } from '../../pipeline/events.js'
import { commandLine, type CliIo } from './io.js'
import { lookupsText } from './stage-text.js'
import { errorLines, summaryLines } from './summary-text.js'
import { cutToWidth, displayWidth } from '../../core/display-width.js'

export interface ReporterFlags {
  json?: boolean
  quiet?: boolean
  logLevel?: 'error' | 'warn' | 'info' | 'debug'
}

/** Where no terminal shows a bar, a line every so often. */
const lineIntervalMs = 10_000

/** Tells a run's events: JSON lines on standard output, or words and a bar on standard error. */
export function createReporter(io: CliIo, flags: ReporterFlags): { tell(event: RunEvent): void } {
  const isQuiet = flags.quiet === true || flags.logLevel === 'error'
  const words = isQuiet ? null : new WordReporter(io, flags)
  return {
    tell(event) {
      if (flags.json === true) io.out(`${JSON.stringify(withCode(event))}\n`)
      if (words !== null) words.tell(event)
      else if (event.type === 'finished') {
        const ended = endedBy(event.summary)
        if (ended !== null) io.err(`${errorLines(ended).join('\n')}\n`)
        for (const { message } of event.summary.alarms) io.err(`alarm ${message}\n`)
      }
    },
  }
}

/** A stop is reported with the code and the sentence that an error would have. */
function withCode(event: RunEvent): unknown {
  if (event.type !== 'finished') return event
  const ended = endedBy(event.summary)
  return { ...event, ...(ended === null ? {} : { stopped: explainStop(ended) ?? { code: 'INTERRUPTED' } }) }
}

class WordReporter {
  readonly #io: CliIo
  readonly #isVerbose: boolean
  readonly #isDebug: boolean
  #lastLineAtMs = 0

  constructor(io: CliIo, flags: ReporterFlags) {
    this.#io = io
    this.#isVerbose = flags.logLevel !== 'warn'
    this.#isDebug = flags.logLevel === 'debug'
  }

  tell(event: RunEvent): void {
    switch (event.type) {
      case 'notice':
        if (this.#isVerbose || event.isWarning === true) this.#line(event.text)
        return
      case 'columns':
        if (this.#isVerbose) for (const line of columnLines(event)) this.#line(sentence(line))
        return
      case 'planned':
        if (this.#isVerbose) this.#line(plannedText(event))
        return
      case 'progress':
        if (this.#isVerbose) this.#progress(event.progress)
        return
      case 'publishing':
        this.#publishing(event.path)
        return
      case 'finished': {
        for (const line of summaryLines(event.summary, commandLine(this.#io))) {
          if (this.#isVerbose || /^( {2}note| {2}alarm|error | {2}hint|Interrupted)/.test(line))
            this.#line(line)
        }
        return
      }
    }
  }

  #progress(progress: Progress): void {
    if (this.#io.isTerminal) {
      this.#io.draw((columnCount) => progressBar(progress, columnCount))
      return
    }
    if (progress.elapsedMs - this.#lastLineAtMs < lineIntervalMs && !this.#isDebug) return
    this.#lastLineAtMs = progress.elapsedMs
    this.#line(progressLine(progress))
  }

  /** A million rows take a minute to write: the bar says why nothing moves. */
  #publishing(path: string): void {
    if (this.#isDebug) this.#line(`Writing ${path}`)
    else if (this.#isVerbose && this.#io.isTerminal) this.#io.draw(() => `Writing ${path} …`)
  }

  #line(text: string): void {
    this.#io.err(`${text}\n`)
  }
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function plannedText({ rowCount, plan, ...lookups }: Extract<RunEvent, { type: 'planned' }>): string {
  const known = Object.entries(plan)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count.toLocaleString('en-US')} ${planWords[name] ?? name}`)
  const rows = `${rowCount.toLocaleString('en-US')} ${rowCount === 1 ? 'row' : 'rows'}`
  return `${rows}, ${lookupsText(lookups)}: ${known.join(', ') || 'nothing to ask'}`
}

export const planWords: Readonly<Record<string, string>> = {
  submit: 'to submit',
  poll: 'running',
  answered: 'already answered',
  decided: 'decided by people',
  invalid: 'refused before as invalid',
  uncertain: 'uncertain (held)',
  failed: 'failed before',
}

const barCellsMax = 20
const barCellsMin = 5

/** The progress on one line of a terminal: a bar as wide as there is room for, then the numbers. */
export function progressBar(progress: Progress, columnCount: number): string {
  // A terminal wraps a line that fills it.
  const columnsMax = Math.max(0, columnCount - 1)
  const line = fittingLine(progress, columnsMax - barCellsMin - 3) ?? fittingLine(progress, columnsMax)
  if (line === null) return cutToWidth(shortest(progress), columnsMax)
  const cells = Math.min(barCellsMax, columnsMax - displayWidth(line) - 3)
  return cells < barCellsMin ? line : `[${bar(progress, cells)}] ${line}`
}

/** Without the parts that there is no room for; null where not even what is done and the time left fit. */
function fittingLine(progress: Progress, columnsMax: number): string | null {
  const parts = progressParts(progress)
  for (;;) {
    const line = parts.map(({ text }) => text).join(' · ')
    if (displayWidth(line) <= columnsMax) return line
    if (parts.length <= 2) return null
    const weightMin = Math.min(...parts.map(({ weight }) => weight))
    parts.splice(
      parts.findIndex(({ weight }) => weight === weightMin),
      1,
    )
  }
}

function shortest(progress: Progress): string {
  const { done, lookups } = wholeOf(progress)
  return `${Math.floor((done / Math.max(1, lookups)) * 100)}% of ${lookups.toLocaleString('en-US')}`
}

function bar(progress: Progress, cells: number): string {
  const { done, lookups } = wholeOf(progress)
  const filled = lookups === 0 ? cells : Math.floor((done / lookups) * cells)
  return '#'.repeat(filled) + '-'.repeat(cells - filled)
}
