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
 * Returns a policy without scripts, forms and external resources. `framers` are the origins whose pages may show it
 * in a frame, as sources of the policy.
 */
export function pagePolicy(framers: readonly string[]): string {
  return (
    `default-src 'none'; style-src ${styleSource(pageStyle())}; img-src data:; base-uri 'none'; form-action 'none'; ` +
    `frame-ancestors ${framers.length === 0 ? "'none'" : framers.join(' ')}`
  )
}

/** The facts that distinguish a company at a glance. All of them fit into a frame of `previewSize`. */
const previewed: readonly PropertyId[] = [
  'location',
  'registration_id',
  'lei',
  'cik',
  'ticker',
  'website',
  'parent',
]

/** Renders a company for a frame of fixed size (v0.2, "Preview Service"). */
export function previewPage(record: EntityRecord, knowledge: Knowledge): string {
  const valuesOf = valuesOfCompany(record, knowledge)
  const facts = reconciliationProperties
    .filter(({ id }) => previewed.includes(id))
    .map(({ id, name }) => factHtml(name, valuesOf(id).map(shortHtml)))
  return pageOf(record, 'preview', facts)
}

/** Renders all known facts of a company; the `view` of the manifest links to it. */
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
      <p>The registry has no company with this id.</p>`,
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

/** Isolates a text of a register, so that its direction does not reorder the text around it. */
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

/** A register may state anything as a website, even a `javascript:` address. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
