import { routes, versionOf, type Route } from '../../contract/routes.js'

/** The interface as a page to read: no script, nothing loaded from elsewhere. */
export const docsPolicy = "default-src 'none'"
export function docsPage(document: Readonly<Record<string, unknown>>): string {
  const paths = document['paths'] as Record<string, Record<string, object>>
  const operations = Object.entries<Route>(routes).reverse()
  const sections = (['v3', 'v2', 'v1'] as const).map((version) => {
    const ofVersion = operations.filter(([, { path }]) => versionOf(path) === version).reverse()
    return `<h2 id="${version}">${version}</h2>\n${ofVersion
      .map(([, route]) => operationHtml(route, paths[route.path]?.[route.method.toLowerCase()] ?? {}))
      .join('\n')}`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Company entity resolution: the interface</title>
<style>${style}</style>
</head>
<body>
<h1>Company entity resolution and intelligence</h1>
<p>Every call shows its key in the header <code>apikey</code>. The same as a machine reads it:
<a href="openapi.json">openapi.json</a>. Versions: <a href="#v3">v3</a>, <a href="#v2">v2</a>, <a href="#v1">v1</a>.</p>
${sections.join('\n')}
</body>
</html>
`
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b }
code, pre { font: 13px/1.45 ui-monospace, monospace }
pre { background: #f4f4f2; padding: .75rem; overflow: auto; max-height: 30rem }
details { border: 1px solid #d8d8d4; border-radius: 4px; margin: .5rem 0; padding: .5rem .75rem }
summary { cursor: pointer }
.method { display: inline-block; min-width: 3rem; font-weight: 600 }
table { border-collapse: collapse } td, th { text-align: left; padding: .15rem .75rem .15rem 0; vertical-align: top }
@media (prefers-color-scheme: dark) {
  body { background: #161616; color: #e6e6e3 } pre { background: #222 } details { border-color: #3a3a38 } a { color: #9bc1ff }
}`

interface Operation {
  readonly description?: string
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: object }[]
  readonly requestBody?: { content: Record<string, { schema: object }> }
  readonly responses?: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}

function operationHtml(route: Route, operation: Operation): string {
  const { description, parameters = [], requestBody, responses = {} } = operation
  const parts = [
    description === undefined ? '' : `<p>${escapeHtml(description)}</p>`,
    parameters.length === 0 ? '' : parametersHtml(parameters),
    requestBody === undefined ? '' : schemaHtml('Body', requestBody.content['application/json']?.schema),
    ...Object.entries(responses).map(([status, { description: meaning, content }]) =>
      Number(status) < 300
        ? schemaHtml(`${status}: ${meaning}`, content?.['application/json']?.schema)
        : `<p><code>${status}</code> ${escapeHtml(meaning)}</p>`,
    ),
  ]
  return `<details><summary><span class="method">${route.method}</span> <code>${escapeHtml(route.path)}</code>: ${escapeHtml(route.summary)}</summary>
${parts.filter((part) => part !== '').join('\n')}
</details>`
}

function parametersHtml(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td><code>${escapeHtml(JSON.stringify(schema))}</code></td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function schemaHtml(title: string, schema: object | undefined): string {
  const text = schema === undefined ? 'nothing' : JSON.stringify(schema, null, 2)
  return `<p>${escapeHtml(title)}</p><pre>${escapeHtml(text)}</pre>`
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}
