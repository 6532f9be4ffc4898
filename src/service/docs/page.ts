import { createHash } from 'node:crypto'
import { errorsHtml, guideSections, limitsHtml, type Section } from './guide.js'
import { escapeHtml, headingHtml, style, type Html } from './html.js'
import { operationHtml, type Operation, type Placed } from './operation-html.js'
import { fieldsHtml, shapeIdOf, type Schema, type Schemas } from './schema-html.js'
import type { Json } from './shapes.js'

/** No script, no form, and nothing loaded from anywhere, this service included. */
export const docsPolicy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
  `img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>
  readonly components: { readonly schemas: Schemas }
}

/** The interface as a page to read, made from its OpenAPI document. */
export function docsPage(json: Json): Html {
  const document = json as unknown as Document
  const placed = placedOperations(document)
  const { info } = document
  const guide = guideSections(document.servers[0]?.url ?? '')
  const versions = document.tags.filter(({ name }) => placed.some((one) => isOf(name, one)))
  const last: Section[] = [
    {
      id: 'errors',
      title: 'Errors',
      html: errorsHtml(
        placed.map(({ operation }) => operation),
        info.description,
      ),
    },
    { id: 'limits', title: 'Limits', html: limitsHtml() },
  ]
  const shapes = Object.entries(document.components.schemas)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(info.title)}: the interface</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div class="layout">
<input type="checkbox" id="menu"><label class="menu" for="menu">Contents</label>
<nav aria-label="Contents"><ul>
${[...guide, ...last].map(({ id, title }) => linkHtml(id, escapeHtml(title))).join('\n')}
${versions.map(({ name }) => versionNavHtml(name, placed)).join('\n')}
${linkHtml('shapes', 'Shapes')}
</ul></nav>
<main>
<h1>${escapeHtml(info.title)}</h1>
<p class="lead">${escapeHtml(info.description.split('\n\n', 1)[0] ?? '')}</p>
<p class="quiet">Version ${escapeHtml(info.version)}, at <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>. The same for machines:
<a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${[...guide, ...last].map(sectionHtml).join('\n')}
${versions.map((version) => versionHtml(version, placed, document.components.schemas)).join('\n')}
${headingHtml({ id: 'shapes', level: 2, html: 'Shapes' })}
<p>Of bodies and answers. Values that are not known are null.</p>
${shapes.map(([name, schema]) => shapeHtml(name, schema)).join('\n')}
</main>
</div>
</body>
</html>
`
}

function placedOperations({ paths }: Document): Placed[] {
  return Object.entries(paths).flatMap(([path, { post, get }]) => [
    ...(post === undefined ? [] : [{ method: 'POST' as const, path, operation: post }]),
    ...(get === undefined ? [] : [{ method: 'GET' as const, path, operation: get }]),
  ])
}

const isOf = (version: string, { operation }: Placed) => operation.tags.includes(version)

const linkHtml = (id: string, html: Html): Html => `<li><a href="#${id}">${html}</a></li>`

function versionNavHtml(version: string, placed: readonly Placed[]): Html {
  const links = placed
    .filter((one) => isOf(version, one))
    .map(({ method, path, operation }) =>
      linkHtml(
        operation.operationId,
        `<span class="method ${method}">${method}</span><span>${escapeHtml(path.slice(version.length + 1)).replaceAll('/', '/<wbr>')}</span>`,
      ),
    )
  return `<li><a href="#${version}">${version}</a><ul>${links.join('\n')}</ul></li>`
}

const sectionHtml = ({ id, title, html }: Section): Html =>
  `<section>${headingHtml({ id, level: 2, html: escapeHtml(title) })}\n${html}</section>`

function versionHtml(
  { name, description }: Document['tags'][number],
  placed: readonly Placed[],
  schemas: Schemas,
): Html {
  return `<section>${headingHtml({ id: name, level: 2, html: escapeHtml(name) })}
<p>${escapeHtml(description)}</p>
${placed
  .filter((one) => isOf(name, one))
  .map((one) => operationHtml(one, schemas))
  .join('\n')}</section>`
}

function shapeHtml(name: string, schema: Schema): Html {
  return `${headingHtml({ id: shapeIdOf(name), level: 3, html: escapeHtml(name) })}
<p>${escapeHtml(schema.description ?? '')}</p>
${fieldsHtml(schema, { marksRequired: false })}`
}
