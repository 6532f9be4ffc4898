import type { RunEvent } from '../../pipeline/events.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import type { Progress } from '../../pipeline/figures/progress.js'
import { type TimelinePoint, createTimeline } from '../../pipeline/figures/run-record.js'
import type { ReportData } from '../report-data.js'

const noticesMax = 30

export interface LiveNotice {
  readonly atMs: number
  readonly text: string
  readonly isWarning: boolean
}

export type LivePhase = 'reading' | 'asking' | 'publishing' | 'published' | 'ended' | 'failed'

/** State of a running run, for its page. */
export interface LiveData {
  readonly phase: LivePhase
  readonly command: string
  readonly startedAtMs: number
  readonly rowCount: number | null
  readonly progress: Progress | null
  readonly timeline: readonly TimelinePoint[]
  /** Newest first. */
  readonly notices: readonly LiveNotice[]
  /** Message of the error that ended the run. */
  readonly failure: string | null
  readonly earlier: readonly RememberedRun[]
  /** Earlier runs that cost anything, newest first. */
  readonly paid: readonly RememberedRun[]
  /** `null` until the output is published and compared. */
  readonly report: ReportData | null
}

export interface LiveRunDeps {
  readonly command: string
  readonly startedAtMs: number
  readonly nowMs: () => number
}

/** Collects a run's events for its page: the last of each kind, and a timeline with few points. */
export class LiveRun {
  readonly #deps: LiveRunDeps
  readonly #timeline = createTimeline()
  #phase: LivePhase = 'reading'
  #rowCount: number | null = null
  #progress: Progress | null = null
  #notices: LiveNotice[] = []
  #failure: string | null = null
  #earlier: readonly RememberedRun[] = []
  #paid: readonly RememberedRun[] = []
  #report: ReportData | null = null
  #version = 1

  constructor(deps: LiveRunDeps) {
    this.#deps = deps
  }

  /** Incremented by every change that the page shows. */
  get version(): number {
    return this.#version
  }

  get isOver(): boolean {
    return this.#phase === 'ended' || this.#phase === 'failed'
  }

  observe(event: RunEvent): void {
    switch (event.type) {
      case 'notice':
        this.#note(event.text, event.isWarning === true)
        break
      case 'columns':
        break
      case 'planned':
        this.#rowCount = event.rowCount
        this.#phase = 'asking'
        break
      case 'progress':
        this.#progress = event.progress
        this.#timeline.add(event.progress.sofar)
        break
      case 'publishing':
        this.#phase = 'publishing'
        break
      case 'finished':
        this.#phase = 'published'
        break
    }
    this.#version++
  }

  /** Runs of the same series, newest first. */
  setEarlierRuns({ earlier, paid }: Pick<LiveData, 'earlier' | 'paid'>): void {
    this.#earlier = earlier
    this.#paid = paid
    this.#version++
  }

  /** `failure`: message of the error that ended the run. */
  end({ report, failure }: { readonly report: ReportData | null; readonly failure: string | null }): void {
    this.#report = report
    this.#failure = failure
    this.#phase = failure === null ? 'ended' : 'failed'
    this.#version++
  }

  getData(): LiveData {
    return {
      phase: this.#phase,
      rowCount: this.#rowCount,
      progress: this.#progress,
      command: this.#deps.command,
      startedAtMs: this.#deps.startedAtMs,
      timeline: this.#timeline.points(),
      notices: this.#notices,
      failure: this.#failure,
      earlier: this.#earlier,
      paid: this.#paid,
      report: this.#report,
    }
  }

  #note(text: string, isWarning: boolean): void {
    this.#notices = [{ atMs: this.#deps.nowMs(), text, isWarning }, ...this.#notices].slice(0, noticesMax)
  }
}
