import type { FastifyInstance } from 'fastify'
import {
  getStyleSource,
  html,
  joinHtml,
  readStylesheets,
  renderPage,
  renderScript,
  renderStyle,
  type Html,
  type HtmlPart,
} from '../../web/html.js'
import { mountPage, readOrigin } from '../http/mount.js'
import { buildOpenApiDocument } from './openapi.js'
import { buildGuideSections, renderErrorGuide, renderLimits, type Section } from './guide.js'
import {
  renderFields,
  renderHeading,
  renderOperation,
  toShapeId,
  type Operation,
  type PlacedOperation,
  type Schema,
  type Schemas,
} from './reference-html.js'
import type { Json } from './shapes.js'

/** A page and its content security policy. */
interface DocsPage {
  readonly text: string
  readonly policy: string
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post', Operation>>>>>
  readonly components: { readonly schemas: Schemas }
}

/** Renders the documentation page from the OpenAPI document. */
function renderDocsPage(json: Json): DocsPage {
  const document = json as unknown as Document
  const placed = listOperations(document)
  const { info } = document
  const guide = buildGuideSections(document.servers[0]?.url ?? '')
  const versions = document.tags.filter(({ name }) => placed.some((one) => hasVersion(name, one)))
  const sections: Section[] = [
    ...guide,
    {
      id: 'errors',
      title: 'Errors',
      body: renderErrorGuide(
        placed.map(({ operation }) => operation),
        info.description,
      ),
    },
    { id: 'limits', title: 'Limits', body: renderLimits() },
  ]
  const shapes = Object.entries(document.components.schemas)
  const style = readStylesheets('web/base', 'service/docs/docs')
  const text = renderPage({
    title: `${info.title}: the interface`,
    head: html`<link rel="icon" href="data:," />${renderStyle(style)}${renderScript('docs.js', 'defer')}`,
    body: html`<body>
      <div class="layout">
        <input type="checkbox" id="menu" /><label class="menu" for="menu">Contents</label>
        <nav aria-label="Contents">
          <ul>
            ${sections.map(({ id, title }) => renderLink(id, title))}
            ${versions.map(({ name }) => renderVersionNav(name, placed))} ${renderLink('shapes', 'Shapes')}
          </ul>
        </nav>
        <main>
          <h1>${info.title}</h1>
          <p class="lead">${info.description.split('\n\n', 1)[0] ?? ''}</p>
          <p class="quiet">
            Version ${info.version}, at <code>${document.servers[0]?.url ?? ''}</code>. The machine-readable
            version: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).
          </p>
          ${sections.map(renderSection)}
          ${versions.map((version) => renderVersion(version, placed, document.components.schemas))}
          ${renderHeading({ id: 'shapes', level: 2, text: 'Shapes' })}
          <p>The shapes of bodies and answers. Unknown values are null.</p>
          ${shapes.map(([name, schema]) => renderShape(name, schema))}
        </main>
      </div>
    </body>`,
  })
  // The page has no forms, and loads only its own script.
  const policy =
    `default-src 'none'; script-src 'self'; style-src ${getStyleSource(style)}; ` +
    `img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return { text, policy }
}

function listOperations({ paths }: Document): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, { post, get }]) => [
    ...(post === undefined ? [] : [{ method: 'POST' as const, path, operation: post }]),
    ...(get === undefined ? [] : [{ method: 'GET' as const, path, operation: get }]),
  ])
}

const hasVersion = (version: string, { operation }: PlacedOperation) => operation.tags.includes(version)

const renderLink = (id: string, text: HtmlPart): Html => html`<li><a href="#${id}">${text}</a></li>`

function renderVersionNav(version: string, placed: readonly PlacedOperation[]): Html {
  const links = placed
    .filter((one) => hasVersion(version, one))
    .map(({ method, path, operation }) => {
      const steps = joinHtml(path.slice(version.length + 1).split('/'), html`/<wbr />`)
      return renderLink(
        operation.operationId,
        html`<span class="method ${method}">${method}</span><span>${steps}</span>`,
      )
    })
  return html`<li>
    <a href="#${version}">${version}</a>
    <ul>
      ${links}
    </ul>
  </li>`
}

const renderSection = ({ id, title, body }: Section): Html =>
  html`<section>${renderHeading({ id, level: 2, text: title })} ${body}</section>`

const renderVersion = (
  { name, description }: Document['tags'][number],
  placed: readonly PlacedOperation[],
  schemas: Schemas,
): Html =>
  html`<section>
    ${renderHeading({ id: name, level: 2, text: name })}
    <p>${description}</p>
    ${placed.filter((one) => hasVersion(name, one)).map((one) => renderOperation(one, schemas))}
  </section>`

const renderShape = (name: string, schema: Schema): Html =>
  html`${renderHeading({ id: toShapeId(name), level: 3, text: name })}
    <p>${schema.description ?? ''}</p>
    ${renderFields(schema, { marksRequired: false })}`

/** A placeholder for the address of the request. */
const originMark = 'http://address.invalid'

/** Mounts `/`, `/docs` and `/openapi.json`, which need no key. `furtherLinks` are added to the links of `/`. */
export function mountDocs(
  app: FastifyInstance,
  version: string,
  furtherLinks: Readonly<Record<string, string>> = {},
): void {
  // Built on the first request: most services never serve their documentation.
  let made: { json: string; page: DocsPage } | null = null
  const getDocuments = () => {
    if (made === null) {
      const document = buildOpenApiDocument(version, originMark)
      made = { json: JSON.stringify(document), page: renderDocsPage(document) }
    }
    return made
  }
  mountPage(app, '/openapi.json', (request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .send(getDocuments().json.replaceAll(originMark, readOrigin(request))),
  )
  mountPage(app, '/docs', (request, reply) => {
    const { text, policy } = getDocuments().page
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .send(text.replaceAll(originMark, readOrigin(request)))
  })
  mountPage(app, '/docs.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(pageScript),
  )
  mountPage(app, '/', (request, reply) => {
    reply.header('vary', 'accept')
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect('docs')
    return reply
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(buildWelcome(version, furtherLinks), null, 2) + '\n')
  })
}

const buildWelcome = (version: string, furtherLinks: Readonly<Record<string, string>>) => ({
  name: 'enrich',
  version,
  message: 'Every route of /v1, /v2 and /v3 needs the header apikey. These links need none.',
  links: {
    docs: '/docs',
    openapi: '/openapi.json',
    health: '/healthz',
    metrics: '/metrics',
    ...furtherLinks,
  },
})

/** The script of the page: a search over all sections, and a button at each code block that copies it. */
const pageScript = `'use strict'
const nav = document.querySelector('nav')
const create = (tag, properties) => Object.assign(document.createElement(tag), properties)

function readSection(heading) {
  let text = heading.textContent
  for (let next = heading.nextElementSibling; next !== null; next = next.nextElementSibling) {
    if (/^H[23]$/.test(next.tagName)) break
    // Sections of a whole version contain those of their routes.
    text += ' ' + next.textContent
  }
  return text.toLowerCase()
}

const sections = [...document.querySelectorAll('main :is(h2, h3)[id]')].map((heading) => ({
  id: heading.id,
  title: heading.textContent.replace(/#$/, '').trim(),
  text: readSection(heading),
}))
const field = create('input', { type: 'search', placeholder: 'Search', ariaLabel: 'Search this page' })
const count = create('p', { className: 'quiet', role: 'status' })
const results = create('ul', { className: 'results', hidden: true })
const contents = nav.querySelector('ul')
nav.prepend(field, count, results)

field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
  const isSearch = words.length > 0
  const found = isSearch ? sections.filter(({ text }) => words.every((word) => text.includes(word))) : []
  const inTitle = ({ title }) => words.every((word) => title.toLowerCase().includes(word))
  found.sort((one, other) => inTitle(other) - inTitle(one))
  results.replaceChildren(
    ...found.map(({ id, title }) => {
      const item = create('li', {})
      item.append(create('a', { href: '#' + id, textContent: title }))
      return item
    }),
  )
  count.textContent = isSearch ? found.length + (found.length === 1 ? ' section' : ' sections') : ''
  results.hidden = !isSearch
  contents.hidden = isSearch
})

function copy(block) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(block.textContent)
  // Over plain http from another machine, browsers offer only this.
  getSelection().selectAllChildren(block)
  document.execCommand('copy')
  return Promise.resolve()
}

for (const block of document.querySelectorAll('pre')) {
  const button = create('button', { type: 'button', textContent: 'Copy' })
  const frame = create('div', { className: 'copyable' })
  block.replaceWith(frame)
  frame.append(block, button)
  button.addEventListener('click', async () => {
    await copy(block.querySelector('code'))
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
}
`
