import { createHash } from 'node:crypto'
import type { EntityRecord } from '../../contract/entity.js'
import { escapeHtml, type Html } from '../docs/html.js'
import type { Knowledge } from '../knowledge.js'
import { nameOf, placeOf } from './describe.js'
import { valuesOfCompany, type ExtensionValue } from './extension.js'
import { previewSize, reconciliationPaths } from './manifest.js'
import { reconciliationProperties, type PropertyId } from './properties.js'

const style = `
* { box-sizing: border-box }
body { margin: 0; overflow-wrap: anywhere; background: #fff; color: #1c2024; font: 13px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif }
h1 { font-size: 1.15em; line-height: 1.3; margin: 0 0 .15rem; } p { margin: 0 0 .5rem; color: #5b636b }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .1rem .8rem; margin: 0 } dt { color: #5b636b } dd { margin: 0 }
a { color: #0b57a8 }
.preview { width: ${previewSize.width}px; height: ${previewSize.height}px; padding: 10px 12px; overflow: hidden }
.preview h1 { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden }
.preview p, .preview dd { white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.preview dd:first-of-type { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal }
.view { font-size: 16px; max-width: 46rem; margin: 0 auto; padding: 2rem 1rem } .view dl { gap: .4rem 1.5rem }
`

/**
 * No script, no form, and nothing loaded from anywhere. `framers`: the origins whose pages may show it in a frame, as
 * sources of a policy.
 */
export function pagePolicy(framers: readonly string[]): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return (
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; ` +
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
export function previewPage(record: EntityRecord, knowledge: Knowledge): Html {
  const valuesOf = valuesOfCompany(record, knowledge)
  const facts = reconciliationProperties
    .filter(({ id }) => previewed.includes(id))
    .map(({ id, name }) => factHtml(name, valuesOf(id).map(shortHtml)))
  return pageOf(record, 'preview', facts)
}

/** All that is known of a company: what `view` of the manifest leads to. */
export function viewPage(record: EntityRecord, knowledge: Knowledge): Html {
  const valuesOf = valuesOfCompany(record, knowledge)
  const facts = reconciliationProperties.map(({ id, name }) => factHtml(name, valuesOf(id).map(linkedHtml)))
  return pageOf(record, 'view', [...facts, factHtml('Id', [escapeHtml(record.id)])])
}

export const unknownCompanyPage = (): Html =>
  documentOf('No such company', 'preview', '<h1>No such company</h1>\n<p>Nothing held has this id.</p>')

function pageOf(record: EntityRecord, kind: 'preview' | 'view', facts: readonly Html[]): Html {
  const { display_name: brand, status } = record
  const name = nameOf(record)
  const about = [brand === name ? null : brand, placeOf(record), status].filter((part) => part !== null)
  return documentOf(
    name,
    kind,
    `<h1>${textHtml(name)}</h1>
<p>${about.map(textHtml).join(' · ')}</p>
<dl>
${facts.filter((html) => html !== '').join('\n')}
</dl>`,
  )
}

const documentOf = (title: string, kind: 'preview' | 'view', main: Html): Html => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main class="${kind}">
${main}
</main>
</body>
</html>
`

const factHtml = (name: string, values: readonly Html[]): Html =>
  values.length === 0 ? '' : `<dt>${escapeHtml(name)}</dt><dd>${values.join(', ')}</dd>`

/** Words of a register, set apart: from right to left, or with marks that turn text, they never order what is around them. */
const textHtml = (text: string): Html => `<bdi>${escapeHtml(text)}</bdi>`

function shortHtml(value: ExtensionValue): Html {
  if ('str' in value) return textHtml(value.str)
  return 'date' in value ? escapeHtml(value.date.slice(0, 10)) : textHtml(value.name)
}

function linkedHtml(value: ExtensionValue): Html {
  if ('id' in value) {
    const address = `${reconciliationPaths.view}?id=${encodeURIComponent(value.id)}`
    return `<a href="${escapeHtml(address)}">${textHtml(value.name)}</a>`
  }
  return 'str' in value && isWebAddress(value.str)
    ? `<a href="${escapeHtml(value.str)}" rel="noopener noreferrer">${escapeHtml(value.str)}</a>`
    : shortHtml(value)
}

/** What a register calls a website may be anything: a script's address among them. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
