import type { EntityRecord } from '../../contract/entity.js'
import {
  html,
  joinHtml,
  pageHtml,
  styleHtml,
  type Html,
  type HtmlPart,
  styleSource,
  stylesheet,
} from '../../web/html.js'
import type { Knowledge } from '../knowledge.js'
import { nameOf, placeOf, valuesOfCompany, type ExtensionValue } from './company-properties.js'
import { reconciliationPaths, reconciliationProperties, type PropertyId } from './manifest.js'

const pageStyle = (): string => stylesheet('service/reconciliation/pages')

/**
 * No script, no form, and nothing loaded from anywhere. `framers`: the origins whose pages may show it in a frame, as
 * sources of a policy.
 */
export function pagePolicy(framers: readonly string[]): string {
  return (
    `default-src 'none'; style-src ${styleSource(pageStyle())}; img-src data:; base-uri 'none'; form-action 'none'; ` +
    `frame-ancestors ${framers.length === 0 ? "'none'" : framers.join(' ')}`
  )
}

/** What tells a company from another at a glance; a frame of `previewSize` shows all of it. */
const previewed: readonly PropertyId[] = [
  'location',
  'registration_id',
  'lei',
  'cik',
  'ticker',
  'website',
  'parent',
]

/** A company in a frame of a fixed size (v0.2, "Preview Service"). */
export function previewPage(record: EntityRecord, knowledge: Knowledge): string {
  const valuesOf = valuesOfCompany(record, knowledge)
  const facts = reconciliationProperties
    .filter(({ id }) => previewed.includes(id))
    .map(({ id, name }) => factHtml(name, valuesOf(id).map(shortHtml)))
  return pageOf(record, 'preview', facts)
}

/** All that is known of a company: what `view` of the manifest leads to. */
export function viewPage(record: EntityRecord, knowledge: Knowledge): string {
  const valuesOf = valuesOfCompany(record, knowledge)
  const facts = reconciliationProperties.map(({ id, name }) => factHtml(name, valuesOf(id).map(linkedHtml)))
  return pageOf(record, 'view', [...facts, factHtml('Id', [record.id])])
}

export const unknownCompanyPage = (): string =>
  companyPage(
    'No such company',
    'preview',
    html`<h1>No such company</h1>
      <p>Nothing held has this id.</p>`,
  )

function pageOf(record: EntityRecord, kind: 'preview' | 'view', facts: readonly HtmlPart[]): string {
  const { display_name: brand, status } = record
  const name = nameOf(record)
  const about = [brand === name ? null : brand, placeOf(record), status].filter((part) => part !== null)
  return companyPage(
    name,
    kind,
    html`<h1>${textHtml(name)}</h1>
      <p>${joinHtml(about.map(textHtml), ' · ')}</p>
      <dl>${facts}</dl>`,
  )
}

const companyPage = (title: string, kind: 'preview' | 'view', main: Html): string =>
  pageHtml({
    title,
    head: html`<link rel="icon" href="data:," />${styleHtml(pageStyle())}`,
    body: html`<body>
      <main class="${kind}">${main}</main>
    </body>`,
  })

const factHtml = (name: string, values: readonly HtmlPart[]): HtmlPart =>
  values.length === 0
    ? null
    : html`<dt>${name}</dt>
        <dd>${joinHtml(values, ', ')}</dd>`

/** Words of a register, set apart: from right to left, or with marks that turn text, they never order what is around them. */
const textHtml = (text: string): Html => html`<bdi>${text}</bdi>`

function shortHtml(value: ExtensionValue): HtmlPart {
  if ('str' in value) return textHtml(value.str)
  return 'date' in value ? value.date.slice(0, 10) : textHtml(value.name)
}

function linkedHtml(value: ExtensionValue): HtmlPart {
  if ('id' in value) {
    const address = `${reconciliationPaths.view}?id=${encodeURIComponent(value.id)}`
    return html`<a href="${address}">${textHtml(value.name)}</a>`
  }
  return 'str' in value && isWebAddress(value.str)
    ? html`<a href="${value.str}" rel="noopener noreferrer">${value.str}</a>`
    : shortHtml(value)
}

/** What a register calls a website may be anything: a script's address among them. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
