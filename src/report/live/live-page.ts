import { formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import type { Progress } from '../../pipeline/figures/progress.js'
import { rectangleHtml } from '../../web/charts.js'
import { sharesBarHtml, texturesHtml } from '../charts/outcomes.js'
import { timelineChart } from '../charts/timeline.js'
import { cut, foreign, html, pageHtml, scriptHtml, type Html, type HtmlPart } from '../../web/html.js'
import { bodyHtml, reportSections, topHtml, type Section } from '../page.js'
import { costChart } from '../charts/cost.js'
import { outcomesHtml } from '../sections/chart-sections.js'
import { jobHtml, factList } from '../sections/run-facts.js'
import { amount, moment, percent } from '../value-text.js'
import type { LiveData } from './live-run.js'

/** Relative paths of the page's other files. */
export const livePaths = { script: 'watch.js', style: 'watch.css', state: 'live' } as const

/** The page as first loaded. Its script keeps it up to date. */
export function livePage(data: LiveData): string {
  return pageHtml({
    title: 'A run of enrich',
    head: html`<meta name="color-scheme" content="light dark" />
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="${livePaths.style}" />
      ${scriptHtml(livePaths.script, 'defer')}`,
    body: html`<body>
      ${texturesHtml}
      <p id="connection" class="connection" role="status"></p>
      <div id="live">${liveBody(data)}</div>
    </body>`,
  })
}

/** The part of the page that changes during the run. */
export function liveBody(data: LiveData): Html {
  const { report } = data
  if (report !== null) {
    return bodyHtml({
      title: `Run ${report.run.number}`,
      below: html`${jobHtml(report.run)}, ${moment(report.run.startedAtMs)}`,
      top: topHtml(report),
      sections: reportSections(report),
    })
  }
  return bodyHtml({
    title: titleOf(data),
    below: html`<code>${foreign(data.command, 300)}</code>, began ${moment(data.startedAtMs)}`,
    top: liveTop(data),
    sections: liveSections(data),
  })
}

function titleOf({ phase }: LiveData): string {
  if (phase === 'failed') return 'Run ended with an error'
  return phase === 'ended' ? 'Run ended' : 'Run in progress'
}

function liveTop(data: LiveData): Html {
  const { progress } = data
  return html`<div data-part="top">
    <p class="lead">${liveSentence(data)}</p>
    ${progress === null ? null : html`${doneBar(progress)}${progressTiles(progress)}`}
  </div>`
}

/** Describes the current step of the run. */
function liveSentence({ phase, progress, rowCount, failure }: LiveData): string {
  const rows = rowCount === null ? '' : ` of ${plural(rowCount, 'row')}`
  switch (phase) {
    case 'reading':
      return 'The input is being read. No lookup is submitted yet.'
    case 'asking':
      return progress === null ? `The lookups${rows} are being planned.` : askingSentence(progress)
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

function askingSentence({ done, lookups, running, heldBack, etaMs }: Progress): string {
  const left = etaMs === null ? 'remaining time not known yet' : `about ${formatDuration(etaMs)} left`
  const held = heldBack === 0 ? '' : `, ${formatCount(heldBack)} left for another run`
  return `${formatCount(done)} of ${plural(lookups, 'lookup')} done, ${formatCount(running)} running${held}, ${left}.`
}

function doneBar({ done, lookups }: Progress): Html {
  const share = lookups === 0 ? 100 : (done / lookups) * 100
  return html`<svg class="bar" role="img" aria-label="${percent(done, lookups)} done">
    <rect class="track" width="100%" height="100%" />
    ${rectangleHtml({ x: 0, y: 0, width: share, height: 100, className: 'o-matched' })}
  </svg>`
}

function progressTiles(progress: Progress): Html {
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
      : [['Cost so far', amount(progress.money.cost, progress.money.currency)] as const]),
    ...(progress.budget === null
      ? []
      : [['Budget spent', budgetText(progress.budget, progress.money?.currency ?? null)] as const]),
    ['Since the first request', formatDuration(progress.elapsedMs)],
  ]
  return factList('tiles', tiles)
}

const budgetText = ({ spent, costMax }: NonNullable<Progress['budget']>, currency: string | null): string =>
  `${amount(spent, currency)} of ${amount(costMax, currency)}`

const rateText = (rate: number, limit: number | null): string =>
  limit === null ? formatCount(rate) : `${formatCount(rate)} of ${formatCount(limit)}`

function liveSections(data: LiveData): Section[] {
  const { progress, timeline, earlier, paid, notices } = data
  const cost = costChart([...paid].reverse())
  return [
    {
      id: 'answers',
      title: 'Answers of this run',
      html: sharesBarHtml(progress?.outcomes ?? {}) ?? html`<p>No answers yet.</p>`,
    },
    ...(progress === null || progress.stages.length === 0
      ? []
      : [{ id: 'stages', title: 'Stages', html: stagesHtml(progress) }]),
    {
      id: 'course',
      title: 'Timeline',
      html: timelineChart(timeline) ?? html`<p>The run has just started.</p>`,
    },
    { id: 'messages', title: 'Messages', html: noticesHtml(notices) },
    ...(earlier[0] === undefined
      ? []
      : [
          {
            id: 'rows',
            title: 'Earlier runs',
            html: outcomesHtml({ run: earlier[0], earlier: earlier.slice(1) }),
          },
        ]),
    ...(cost === null ? [] : [{ id: 'money', title: 'Cost of earlier runs', html: cost }]),
  ]
}

const stagesHtml = ({ stages }: Progress): Html =>
  html`<ul>
    ${stages.map(
      ({ kind, lookupCount, uncertainCount, pendingCount, stop }) =>
        html`<li>
          ${kind}: ${formatCount(lookupCount - uncertainCount - pendingCount)} of ${formatCount(lookupCount)}
          done${stop === null ? '' : ', stopped'}
        </li>`,
    )}
  </ul>`

const noticesHtml = (notices: LiveData['notices']): Html =>
  notices.length === 0
    ? html`<p>None.</p>`
    : html`<ul class="messages">
        ${notices.map(
          ({ atMs, text, isWarning }) =>
            html`<li>
              <span class="quiet">${moment(atMs)}</span>
              ${isWarning ? html`<strong>Warning:</strong> ` : null}${foreign(text, 600)}
            </li>`,
        )}
      </ul>`
