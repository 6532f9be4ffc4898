import {
  html,
  isolateText,
  readStylesheets,
  renderPage,
  renderSource,
  renderStyle,
  type Html,
  type HtmlPart,
} from '../web/html.js'
import { formatCount, plural } from '../core/text.js'
import { changeKinds, type ChangeKind } from '../core/alarms.js'
import type { RememberedRun } from '../pipeline/history/read-history.js'
import { renderDetails, renderTable } from '../web/charts.js'
import { texturesHtml } from './charts/outcomes.js'
import { gatherReport, type GatherOptions } from './gather-data.js'
import {
  formatDay,
  renderMoment,
  type AttentionEntry,
  type ReportAttention,
  type ReportChange,
  type ReportData,
} from './report-data.js'
import {
  renderConfidence,
  renderCost,
  renderGroups,
  renderOutcomes,
  renderTimeline,
} from './sections/chart-sections.js'
import {
  buildHeadline,
  formatKind,
  renderAlarms,
  renderJob,
  renderSettings,
  renderTiles,
} from './sections/run-facts.js'

/**
 * Builds the report of a run from the history: a self-contained HTML page without scripts. Throws RUN_NOT_FOUND.
 *
 *     const { run, html } = await buildReport({ reader, number: null, nowMs: Date.now() })
 *     writeFileSync(`run-${run.number}.html`, html)
 */
export async function buildReport(
  options: GatherOptions,
): Promise<{ readonly run: RememberedRun; readonly html: string }> {
  const data = await gatherReport(options)
  return { run: data.run, html: renderReportPage(data) }
}

/** Allows styles only: no scripts, images, fonts or network access. */
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** Style of the report and the live page. */
export const readReportStyle = (): string => readStylesheets('web/base', 'web/charts', 'report/report')

export interface Section {
  readonly id: string
  readonly title: string
  readonly html: Html
}

/** Builds a self-contained report of a run, without scripts. */
export function renderReportPage(data: ReportData): string {
  const { run } = data
  const sections = buildReportSections(data)
  return renderPage({
    title: `Run ${run.number}, ${formatDay(run.startedAtMs)}: enrich`,
    head: html`<meta
        http-equiv="content-security-policy"
        content="${reportPolicy}"
      />${renderStyle(readReportStyle())}`,
    body: html`<body>
      ${texturesHtml}
      ${renderBody({
        title: `Run ${run.number}`,
        below: html`${renderJob(run)}, ${renderMoment(run.startedAtMs)}`,
        top: renderTop(data),
        sections,
      })}
      <footer class="quiet">
        <p>
          Written by enrich on ${renderMoment(data.madeAtMs)}. The page is self-contained and makes no network
          requests.
        </p>
      </footer>
    </body>`,
  })
}

export interface BodyOptions {
  readonly title: string
  readonly below: HtmlPart
  /** Content above the sections. */
  readonly top: HtmlPart
  readonly sections: readonly Section[]
}

export const renderBody = ({ title, below, top, sections }: BodyOptions): Html =>
  html`<header>
      <h1>${title}</h1>
      <p class="quiet">${below}</p>
    </header>
    <nav aria-label="Contents">
      <ul>
        ${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}
      </ul>
    </nav>
    <main>${top} ${sections.map(renderSection)}</main>`

const renderSection = (section: Section): Html =>
  html`<section aria-labelledby="${section.id}" data-part="${section.id}">
    <h2 id="${section.id}">${section.title}</h2>
    ${section.html}
  </section> `

/** Headline, key figures and alarms. */
export const renderTop = (data: ReportData): Html =>
  html`<div data-part="top">
    <p class="lead">${buildHeadline(data)}</p>
    ${renderTiles(data)} ${renderAlarms(data.run)}
  </div>`

export function buildReportSections(data: ReportData): Section[] {
  return [
    { id: 'changes', title: 'What changed', html: renderChanges(data) },
    { id: 'attention', title: 'Rows to review', html: renderAttention(data) },
    { id: 'rows', title: 'Outcomes', html: renderOutcomes(data) },
    { id: 'sure', title: 'Confidence', html: renderConfidence(data) },
    { id: 'groups', title: 'Matches by group', html: renderGroups(data) },
    { id: 'course', title: 'Timeline', html: renderTimeline(data) },
    { id: 'money', title: 'Cost', html: renderCost(data) },
    { id: 'settings', title: 'Settings', html: renderSettings(data.run) },
  ]
}

/** Size limit of the list of one kind, to limit the page. */
const bytesMaxPerKind = 70_000
/** A list with at most this many changes is open at first. */
const openMax = 12

/** The changes, the most frequent kind first, and within it those with the most rows. */
function renderChanges({ changes, run }: Pick<ReportData, 'changes' | 'run'>): Html {
  if (!run.isPublished) return html`<p>This run published no output: there is nothing to compare.</p>`
  if (changes === null)
    return html`<p>
      There is no earlier output to compare with. The next run of the same job is compared with this one.
    </p>`
  const kinds = changeKinds
    .map((kind) => ({ kind, count: changes.counts[kind] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count)
  if (kinds.length === 0) return html`<p>None: every row is the same as in run ${changes.baseline}.</p>`
  return html`<p>Against the output of run ${changes.baseline}. Rows with the same change share a line.</p>
    ${kinds.map(({ kind, count }) =>
      renderKind(kind, count, changes.largest?.filter((change) => change.kind === kind) ?? null),
    )}`
}

function renderKind(kind: ChangeKind, count: number, largest: readonly ReportChange[] | null): Html {
  const words = formatKind(kind, count)
  if (largest === null) return html`<p>${words}: the rows are no longer stored.</p>`
  const isWhole = kind === 'new_row' || kind === 'row_gone'
  const rowCount = largest.reduce((sum, change) => sum + change.rowCount, 0)
  const table = renderTable({
    id: `changes-${kind}-table`,
    label: words,
    columns: [
      { name: 'Rows', isNumber: true },
      { name: 'Name in the input' },
      ...(isWhole
        ? [{ name: 'Entity' }]
        : [{ name: 'Field' }, { name: 'Old' }, { name: 'New' }, { name: 'Source' }]),
    ],
    rows: largest,
    cellsOf: (change) => [
      formatCount(change.rowCount),
      renderName(change),
      ...(isWhole ? [renderText(change.newEntityId ?? change.oldEntityId)] : renderValues(change)),
    ],
    bytesMax: bytesMaxPerKind,
    ...(rowCount < count ? { totalCount: count, noun: 'changes' } : {}),
  })
  return renderDetails(`changes-${kind}`, words, table, count <= openMax)
}

function renderName({ name, rowKey, rowNumber, rowCount }: ReportChange): Html {
  const place = rowKey === null ? html`row ${formatCount(rowNumber)}` : html`key ${isolateText(rowKey, 40)}`
  return html`${renderText(name)}
    <span class="quiet place">${place}${rowCount > 1 ? ' and others' : ''}</span>`
}

function renderValues(change: ReportChange): HtmlPart[] {
  const { field, old, new: now, oldSource, newSource } = change
  const sources = [...new Set([newSource, oldSource])].filter((source) => source !== null)
  return [
    html`<code>${field ?? '–'}</code>`,
    renderText(old),
    renderText(now),
    sources.length === 0 ? '–' : sources.map((source) => html`<div>${renderSource(source)}</div>`),
  ]
}

const renderText = (text: string | null): HtmlPart => (text === null || text === '' ? '–' : isolateText(text))

/** Size limit of a list, to limit the page. */
const bytesMax = 100_000

/** Rows to review, then rows without an answer; those with the most rows first. */
function renderAttention({ run, review, unanswered }: ReportData): Html {
  const lookupCount = run.record?.summary?.review?.lookupCount ?? 0
  return html`${
    review === null
      ? html`<p>The rows to review are not stored for this run.</p>`
      : review.rowCount === 0
        ? html`<p>None: no answer is doubtful.</p>`
        : renderList('review', review, {
            title: 'Rows to review',
            words: html`${plural(lookupCount, 'doubtful lookup')}, ${plural(review.rowCount, 'row')}:
              <code>enrich review</code> shows the same ones.`,
          })
  }
  ${
    unanswered === null || unanswered.rowCount === 0
      ? null
      : renderList('unanswered', unanswered, {
          title: 'Rows without an answer',
          words: html`${plural(unanswered.rowCount, 'row')} without an answer: the lookup failed or may have
          been billed, or the row could not be looked up.`,
        })
  }`
}

/** The company, the reason of the answer, and the source; each only if known. */
function renderFound({ found, reason, source }: AttentionEntry): HtmlPart {
  const parts = [
    ...(found === null ? [] : [renderText(found)]),
    ...(reason === null ? [] : [isolateText(reason, 300)]),
    ...(source === null ? [] : [renderSource(source)]),
  ]
  return parts.length === 0 ? '–' : parts.map((part) => html`<div>${part}</div>`)
}

/** Rows with the same lookup share a line. */
function renderList(
  id: string,
  { rowCount, entries }: ReportAttention,
  { title, words }: { readonly title: string; readonly words: Html },
): Html {
  const named = entries.reduce((sum, entry) => sum + entry.rowCount, 0)
  return html`<p>${words} Rows with the same lookup are on one line.</p>
    ${renderTable({
      id: `${id}-table`,
      label: title,
      columns: [
        { name: 'Rows', isNumber: true },
        { name: 'Name in the input' },
        { name: 'Status' },
        { name: 'Confidence', isNumber: true },
        { name: 'Company found, or reason' },
      ],
      rows: entries,
      cellsOf: (entry) => [
        formatCount(entry.rowCount),
        html`${renderText(entry.name)}
          <span class="quiet place"
            >${
              entry.rowKey === null
                ? html`row ${formatCount(entry.rowNumber)}`
                : html`key ${isolateText(entry.rowKey, 40)}`
            }</span
          >`,
        html`<span class="status">${isolateText(entry.status, 40)}</span>`,
        entry.confidence === null ? '–' : entry.confidence,
        renderFound(entry),
      ],
      bytesMax,
      ...(named < rowCount ? { totalCount: rowCount } : {}),
    })}`
}
