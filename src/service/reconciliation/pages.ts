import { hasSameLetters } from '../../core/registry-suffix.js'
import type { EntityRecord } from '../../contract/entity.js'
import {
  html,
  joinHtml,
  renderPage,
  renderStyle,
  type Html,
  type HtmlPart,
  getStyleSource,
  readStylesheets,
} from '../../web/html.js'
import type { Knowledge } from '../knowledge.js'
import {
  getCompanyName,
  formatPlace,
  createPropertyReader,
  type ExtensionValue,
} from './company-properties.js'
import { reconciliationPaths, reconciliationProperties, type PropertyId } from './manifest.js'

const getPageStyle = (): string => readStylesheets('service/reconciliation/pages')

/**
 * Returns a policy without scripts, forms and external resources. `framers` are the origins whose pages may show it
 * in a frame, as sources of the policy.
 */
export function buildPagePolicy(framers: readonly string[]): string {
  return (
    `default-src 'none'; style-src ${getStyleSource(getPageStyle())}; img-src data:; base-uri 'none'; form-action 'none'; ` +
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
export function renderPreviewPage(record: EntityRecord, knowledge: Knowledge): string {
  const readValues = createPropertyReader(record, knowledge)
  const facts = reconciliationProperties
    .filter(({ id }) => previewed.includes(id))
    .map(({ id, name }) => renderFact(name, readValues(id).map(renderShortValue)))
  return renderCompany(record, 'preview', facts)
}

/** Renders all known facts of a company; the `view` of the manifest links to it. */
export function renderViewPage(record: EntityRecord, knowledge: Knowledge): string {
  const readValues = createPropertyReader(record, knowledge)
  const facts = reconciliationProperties.map(({ id, name }) =>
    renderFact(name, readValues(id).map(renderLinkedValue)),
  )
  return renderCompany(record, 'view', [...facts, renderFact('Id', [record.id])])
}

export const renderUnknownCompanyPage = (): string =>
  companyPage(
    'No such company',
    'preview',
    html`<h1>No such company</h1>
      <p>The registry has no company with this id.</p>`,
  )

function renderCompany(record: EntityRecord, kind: 'preview' | 'view', facts: readonly HtmlPart[]): string {
  const { display_name: brand, status } = record
  const name = getCompanyName(record)
  const other = brand !== null && hasSameLetters(brand, name) ? null : brand
  const about = [other, formatPlace(record), status].filter((part) => part !== null)
  return companyPage(
    name,
    kind,
    html`<h1>${renderText(name)}</h1>
      <p>${joinHtml(about.map(renderText), ' · ')}</p>
      <dl>${facts}</dl>`,
  )
}

const companyPage = (title: string, kind: 'preview' | 'view', main: Html): string =>
  renderPage({
    title,
    head: html`<link rel="icon" href="data:," />${renderStyle(getPageStyle())}`,
    body: html`<body>
      <main class="${kind}">${main}</main>
    </body>`,
  })

const renderFact = (name: string, values: readonly HtmlPart[]): HtmlPart =>
  values.length === 0
    ? null
    : html`<dt>${name}</dt>
        <dd>${joinHtml(values, ', ')}</dd>`

/** Isolates a text of a register, so that its direction does not reorder the text around it. */
const renderText = (text: string): Html => html`<bdi>${text}</bdi>`

function renderShortValue(value: ExtensionValue): HtmlPart {
  if ('str' in value) return renderText(value.str)
  return 'date' in value ? value.date.slice(0, 10) : renderText(value.name)
}

function renderLinkedValue(value: ExtensionValue): HtmlPart {
  if ('id' in value) {
    const address = `${reconciliationPaths.view}?id=${encodeURIComponent(value.id)}`
    return html`<a href="${address}">${renderText(value.name)}</a>`
  }
  return 'str' in value && isWebAddress(value.str)
    ? html`<a href="${value.str}" rel="noopener noreferrer">${value.str}</a>`
    : renderShortValue(value)
}

/** A register may state anything as a website, even a `javascript:` address. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
