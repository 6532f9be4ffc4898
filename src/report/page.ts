import { html, renderPage, renderStyle, type Html, type HtmlPart, readStylesheets } from '../web/html.js'
import { texturesHtml } from './charts/outcomes.js'
import { formatDay, renderMoment, type ReportData } from './report-data.js'
import { renderAttention, renderChanges } from './sections/row-lists.js'
import {
  renderConfidence,
  renderCost,
  renderGroups,
  renderOutcomes,
  renderTimeline,
} from './sections/chart-sections.js'
import { renderAlarms, renderTiles, renderJob, renderSettings, buildHeadline } from './sections/run-facts.js'

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
