import { html, pageHtml, styleHtml, type Html, type HtmlPart, stylesheet } from '../web/html.js'
import { texturesHtml } from './charts/outcomes.js'
import type { ReportData } from './report-data.js'
import { attentionHtml, changesHtml } from './sections/row-lists.js'
import {
  confidenceHtml,
  costHtml,
  groupsHtml,
  outcomesHtml,
  timelineHtml,
} from './sections/chart-sections.js'
import { alarmsHtml, tilesHtml, jobHtml, settingsHtml } from './sections/run-facts.js'
import { headlineOf } from './sections/headline.js'
import { dayText, moment } from './value-text.js'

/** Allows styles only: no scripts, images, fonts or network access. */
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** Style of the report and the live page. */
export const reportStyle = (): string => stylesheet('web/base', 'web/charts', 'report/report')

export interface Section {
  readonly id: string
  readonly title: string
  readonly html: Html
}

/** Builds a self-contained report of a run, without scripts. */
export function reportPage(data: ReportData): string {
  const { run } = data
  const sections = reportSections(data)
  return pageHtml({
    title: `Run ${run.number}, ${dayText(run.startedAtMs)}: enrich`,
    head: html`<meta
        http-equiv="content-security-policy"
        content="${reportPolicy}"
      />${styleHtml(reportStyle())}`,
    body: html`<body>
      ${texturesHtml}
      ${bodyHtml({
        title: `Run ${run.number}`,
        below: html`${jobHtml(run)}, ${moment(run.startedAtMs)}`,
        top: topHtml(data),
        sections,
      })}
      <footer class="quiet">
        <p>
          Written by enrich on ${moment(data.madeAtMs)}. The page is self-contained and makes no network
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

export const bodyHtml = ({ title, below, top, sections }: BodyOptions): Html =>
  html`<header>
      <h1>${title}</h1>
      <p class="quiet">${below}</p>
    </header>
    <nav aria-label="Contents">
      <ul>
        ${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}
      </ul>
    </nav>
    <main>${top} ${sections.map(sectionHtml)}</main>`

const sectionHtml = (section: Section): Html =>
  html`<section aria-labelledby="${section.id}" data-part="${section.id}">
    <h2 id="${section.id}">${section.title}</h2>
    ${section.html}
  </section> `

/** Headline, key figures and alarms. */
export const topHtml = (data: ReportData): Html =>
  html`<div data-part="top">
    <p class="lead">${headlineOf(data)}</p>
    ${tilesHtml(data)} ${alarmsHtml(data.run)}
  </div>`

export function reportSections(data: ReportData): Section[] {
  return [
    { id: 'changes', title: 'What changed', html: changesHtml(data) },
    { id: 'attention', title: 'Rows to review', html: attentionHtml(data) },
    { id: 'rows', title: 'Outcomes', html: outcomesHtml(data) },
    { id: 'sure', title: 'Confidence', html: confidenceHtml(data) },
    { id: 'groups', title: 'Matches by group', html: groupsHtml(data) },
    { id: 'course', title: 'Timeline', html: timelineHtml(data) },
    { id: 'money', title: 'Cost', html: costHtml(data) },
    { id: 'settings', title: 'Settings', html: settingsHtml(data.run) },
  ]
}
