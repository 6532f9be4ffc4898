import { existsSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  getStyleSource,
  html,
  readStylesheets,
  renderPage,
  renderScript,
  renderStyle,
} from '../../web/html.js'
import { codeFolder, packageFolder } from '../../platform/native-package.js'
import { mountPage, readOrigin } from '../http/mount.js'
import { buildGuideSections } from './guide.js'
import { buildOpenApiDocument, buildWelcome, description, title } from './openapi.js'

/** A page and its content security policy. */
interface DocsPage {
  readonly text: string
  readonly policy: string
}

/** The pages have no forms, and load only their own files. */
const commonPolicy =
  "default-src 'none'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const icon = html`<link rel="icon" href="data:," />`

function renderGuidePage(version: string, origin: string): DocsPage {
  const sections = buildGuideSections(origin)
  const style = readStylesheets('web/base', 'service/docs/docs')
  const text = renderPage({
    title: `${title}: guide`,
    head: html`${icon}${renderStyle(style)}${renderScript('docs.js', 'defer')}`,
    body: html`<body>
      <div class="layout">
        <nav aria-label="Contents">
          <ul>
            ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
            <li><a href="docs/reference">All routes</a></li>
          </ul>
        </nav>
        <main>
          <h1>${title}</h1>
          <p class="lead">${description.split('\n\n', 1)[0] ?? ''}</p>
          <p class="quiet">
            Version ${version}, at <code>${origin}</code>. The <a href="docs/reference">reference</a> has all
            routes with their fields and examples. For programs: <a href="openapi.json">openapi.json</a>
            (OpenAPI 3.1).
          </p>
          ${sections.map(
            ({ id, title, body }) =>
              html`<section>
                <h2 id="${id}">
                  ${title} <a class="here" href="#${id}" aria-label="Link to this section">#</a>
                </h2>
                ${body}
              </section>`,
          )}
        </main>
      </div>
    </body>`,
  })
  return { text, policy: `${commonPolicy}; style-src ${getStyleSource(style)}` }
}

/** Renders the page in which the viewer shows `openapi.json`. */
function renderReferencePage(): DocsPage {
  const style = readStylesheets('service/docs/reference')
  const text = renderPage({
    title: `${title}: reference`,
    head: html`${icon}${renderStyle(style)}${renderScript('viewer.js', 'defer')}${renderScript('reference.js', 'defer')}`,
    body: html`<body>
      <header><a href="../docs">Guide</a></header>
      <main id="reference"><noscript>The reference requires JavaScript.</noscript></main>
    </body>`,
  })
  return {
    text,
    policy: `${commonPolicy}; connect-src 'self'; worker-src blob:; style-src ${getStyleSource(style)} ${viewerStyleSources}`,
  }
}

/** A placeholder for the address of the request. */
const originMark = 'http://address.invalid'

/** Calls `create` on first use: most services never serve their documentation. */
function createOnce<Value>(create: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => (made ??= { value: create() }).value
}

/**
 * Mounts `/`, `/docs`, `/docs/reference`, `/openapi.json` and their scripts, which need no key. `furtherLinks` are
 * added to the links of `/`.
 */
export function mountDocs(
  app: FastifyInstance,
  version: string,
  furtherLinks: Readonly<Record<string, string>> = {},
): void {
  const getOpenApi = createOnce(() => JSON.stringify(buildOpenApiDocument(version, originMark)))
  const mountHtml = (path: string, getPage: () => DocsPage) => {
    mountPage(app, path, (request, reply) => {
      const { text, policy } = getPage()
      return sendText(reply.header('content-security-policy', policy), 'text/html', atOrigin(text, request))
    })
  }
  const mountScript = (path: string, getText: () => string) => {
    // The browser keeps it, and asks for a newer one by its ETag.
    mountPage(app, path, (_request, reply) =>
      sendText(reply.header('cache-control', 'no-cache'), 'text/javascript', getText()),
    )
  }
  mountHtml(
    '/docs',
    createOnce(() => renderGuidePage(version, originMark)),
  )
  mountHtml('/docs/reference', createOnce(renderReferencePage))
  mountScript('/docs.js', () => guideScript)
  mountScript('/docs/reference.js', () => referenceScript)
  mountScript('/docs/viewer.js', createOnce(readViewer))
  mountPage(app, '/openapi.json', (request, reply) =>
    sendText(reply, 'application/json', atOrigin(getOpenApi(), request)),
  )
  mountPage(app, '/', (request, reply) => {
    reply.header('vary', 'accept')
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect('docs')
    return sendText(
      reply,
      'application/json',
      JSON.stringify(buildWelcome(version, furtherLinks), null, 2) + '\n',
    )
  })
}

const sendText = (reply: FastifyReply, type: string, text: string): FastifyReply =>
  reply.type(`${type}; charset=utf-8`).send(text)

const atOrigin = (text: string, request: FastifyRequest): string =>
  text.replaceAll(originMark, readOrigin(request))

/** The script of the guide: a button at each code block that copies it. */
const guideScript = `'use strict'
const create = (tag, properties) => Object.assign(document.createElement(tag), properties)

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

/**
 * The viewer of `openapi.json` is Redoc. The build copies its file next to the code; sources use the one that npm
 * installed. Its logo would be loaded from another host, so the address is removed.
 */
function readViewer(): string {
  const copy = new URL('service/docs/redoc.js', codeFolder)
  const installed = new URL('node_modules/redoc/bundles/redoc.standalone.js', packageFolder)
  return readFileSync(existsSync(copy) ? copy : installed, 'utf8').replace(logoAddress, 'data:,')
}

const logoAddress = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

/**
 * Sources of a content security policy that permit the styles of the viewer: an empty element, which its scripts fill
 * with rules, and one whose text does not change. A new version may need others.
 */
const viewerStyleSources =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='"

/**
 * The script of the reference: starts the viewer, and corrects it for assistive technology. Headings of level 5 follow
 * those of level 2 or 3. The labels of links in the contents lack a part of the text that is shown.
 */
const referenceScript = `'use strict'
const main = document.getElementById('reference')
const correct = () => {
  for (const heading of main.querySelectorAll('h5:not([aria-level])')) heading.setAttribute('aria-level', '3')
  for (const link of main.querySelectorAll('[role=menuitem][aria-label]')) link.removeAttribute('aria-label')
}
new MutationObserver(correct).observe(main, { childList: true, subtree: true })
Redoc.init('../openapi.json', { nativeScrollbars: true, hideDownloadButton: true }, main)
`
