import { formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import {
  type Progress,
  type RunEvent,
  createTimeline,
  type TimelinePoint,
} from '../../pipeline/history/run-figures.js'
import { renderRectangle } from '../../web/charts.js'
import { cut, html, isolateText, renderPage, renderScript, type Html, type HtmlPart } from '../../web/html.js'
import type { RememberedRun } from '../../pipeline/history/read-history.js'
import { renderSharesBar, texturesHtml } from '../charts/outcomes.js'
import { renderCostChart, renderTimelineChart } from '../charts/over-time.js'
import { buildReportSections, renderBody, renderTop, type Section } from '../report.js'
import { renderOutcomes } from '../sections/chart-sections.js'
import { renderFactList, renderJob } from '../sections/run-facts.js'
import { formatMoney, formatPercent, renderMoment, type ReportData } from '../report-data.js'

/** Relative paths of the page's other files. */
export const livePaths = { script: 'watch.js', style: 'watch.css', state: 'live' } as const

/** The page as first loaded. Its script keeps it up to date. */
export function renderLivePage(data: LiveData): string {
  return renderPage({
    title: 'A run of enrich',
    head: html`<meta name="color-scheme" content="light dark" />
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="${livePaths.style}" />
      ${renderScript(livePaths.script, 'defer')}`,
    body: html`<body>
      ${texturesHtml}
      <p id="connection" class="connection" role="status"></p>
      <div id="live">${renderLiveBody(data)}</div>
    </body>`,
  })
}

/** The part of the page that changes during the run. */
export function renderLiveBody(data: LiveData): Html {
  const { report } = data
  if (report !== null) {
    return renderBody({
      title: `Run ${report.run.number}`,
      below: html`${renderJob(report.run)}, ${renderMoment(report.run.startedAtMs)}`,
      top: renderTop(report),
      sections: buildReportSections(report),
    })
  }
  return renderBody({
    title: getTitle(data),
    below: html`<code>${isolateText(data.command, 300)}</code>, began ${renderMoment(data.startedAtMs)}`,
    top: renderLiveTop(data),
    sections: buildLiveSections(data),
  })
}

function getTitle({ phase }: LiveData): string {
  if (phase === 'failed') return 'Run ended with an error'
  return phase === 'ended' ? 'Run ended' : 'Run in progress'
}

function renderLiveTop(data: LiveData): Html {
  const { progress } = data
  return html`<div data-part="top">
    <p class="lead">${describeStep(data)}</p>
    ${progress === null ? null : html`${renderDoneBar(progress)}${renderProgressTiles(progress)}`}
  </div>`
}

/** Describes the current step of the run. */
function describeStep({ phase, progress, rowCount, failure }: LiveData): string {
  const rows = rowCount === null ? '' : ` of ${plural(rowCount, 'row')}`
  switch (phase) {
    case 'reading':
      return 'The input is being read. No lookup is submitted yet.'
    case 'asking':
      return progress === null ? `The lookups${rows} are being planned.` : describeProgress(progress)
    case 'publishing':
      return `All lookups are done. The output${rows} is being written.`
    case 'published':
      return `The output${rows} is written. Its changes are being computed.`
    case 'ended':
      return 'The run has ended.'
    case 'failed':
      return `The run ended with an error: ${cut(failure ?? '', 400)}`
  }
}

function describeProgress({ done, lookups, running, heldBack, etaMs }: Progress): string {
  const left = etaMs === null ? 'remaining time not known yet' : `about ${formatDuration(etaMs)} left`
  const held = heldBack === 0 ? '' : `, ${formatCount(heldBack)} left for another run`
  return `${formatCount(done)} of ${plural(lookups, 'lookup')} done, ${formatCount(running)} running${held}, ${left}.`
}

function renderDoneBar({ done, lookups }: Progress): Html {
  const share = lookups === 0 ? 100 : (done / lookups) * 100
  return html`<svg class="bar" role="img" aria-label="${formatPercent(done, lookups)} done">
    <rect class="track" width="100%" height="100%" />
    ${renderRectangle({ x: 0, y: 0, width: share, height: 100, className: 'o-matched' })}
  </svg>`
}

function renderProgressTiles(progress: Progress): Html {
  const tiles: (readonly [string, HtmlPart])[] = [
    ['Done', `${formatCount(progress.done)} of ${formatCount(progress.lookups)}`],
    ['Answered before', formatCount(progress.cached)],
    ...(progress.decided === 0 ? [] : ([['Decided by reviewers', formatCount(progress.decided)]] as const)),
    ['Running', formatCount(progress.running)],
    ['To submit', formatCount(progress.toSubmit)],
    ...(progress.heldBack === 0 ? [] : [['Left for another run', formatCount(progress.heldBack)] as const]),
    ['Failed', formatCount(progress.failed)],
    ['Uncertain', formatCount(progress.uncertain)],
    ['Submissions per minute', rateText(progress.submissionsPerMinute, progress.submitLimit)],
    ['Polls per minute', rateText(progress.pollsPerMinute, progress.pollLimit)],
    ...(progress.money === null
      ? []
      : [['Cost so far', formatMoney(progress.money.cost, progress.money.currency)] as const]),
    ...(progress.budget === null
      ? []
      : [['Budget spent', formatBudget(progress.budget, progress.money?.currency ?? null)] as const]),
    ['Since the first request', formatDuration(progress.elapsedMs)],
  ]
  return renderFactList('tiles', tiles)
}

const formatBudget = ({ spent, costMax }: NonNullable<Progress['budget']>, currency: string | null): string =>
  `${formatMoney(spent, currency)} of ${formatMoney(costMax, currency)}`

const rateText = (rate: number, limit: number | null): string =>
  limit === null ? formatCount(rate) : `${formatCount(rate)} of ${formatCount(limit)}`

function buildLiveSections(data: LiveData): Section[] {
  const { progress, timeline, earlier, paid, notices } = data
  const cost = renderCostChart([...paid].reverse())
  return [
    {
      id: 'answers',
      title: 'Answers of this run',
      html: renderSharesBar(progress?.outcomes ?? {}) ?? html`<p>No answers yet.</p>`,
    },
    ...(progress === null || progress.stages.length === 0
      ? []
      : [{ id: 'stages', title: 'Stages', html: renderStages(progress) }]),
    {
      id: 'course',
      title: 'Timeline',
      html: renderTimelineChart(timeline) ?? html`<p>The run has just started.</p>`,
    },
    { id: 'messages', title: 'Messages', html: renderNotices(notices) },
    ...(earlier[0] === undefined
      ? []
      : [
          {
            id: 'rows',
            title: 'Earlier runs',
            html: renderOutcomes({ run: earlier[0], earlier: earlier.slice(1) }),
          },
        ]),
    ...(cost === null ? [] : [{ id: 'money', title: 'Cost of earlier runs', html: cost }]),
  ]
}

const renderStages = ({ stages }: Progress): Html =>
  html`<ul>
    ${stages.map(
      ({ kind, lookupCount, uncertainCount, pendingCount, stop }) =>
        html`<li>
          ${kind}: ${formatCount(lookupCount - uncertainCount - pendingCount)} of ${formatCount(lookupCount)}
          done${stop === null ? '' : ', stopped'}
        </li>`,
    )}
  </ul>`

const renderNotices = (notices: LiveData['notices']): Html =>
  notices.length === 0
    ? html`<p>None.</p>`
    : html`<ul class="messages">
        ${notices.map(
          ({ atMs, text, isWarning }) =>
            html`<li>
              <span class="quiet">${renderMoment(atMs)}</span>
              ${isWarning ? html`<strong>Warning:</strong> ` : null}${isolateText(text, 600)}
            </li>`,
        )}
      </ul>`

const noticesMax = 30

interface LiveNotice {
  readonly atMs: number
  readonly text: string
  readonly isWarning: boolean
}

type LivePhase = 'reading' | 'asking' | 'publishing' | 'published' | 'ended' | 'failed'

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

interface LiveRunDeps {
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
