import { html, joinHtml, type Html } from '../../web/html.js'
import { codeBlock, headingHtml, inlineCode, jsonBlock, table } from './html.js'
import { fieldsHtml, typeHtml, type Schema, type Schemas } from './schema-html.js'

interface Content {
  readonly 'application/json'?: {
    readonly schema: Schema
    readonly example?: unknown
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: string | number | boolean
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

export interface Placed {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly operation: Operation
}

/** One route: what it does, what it takes, a call, what it answers, how it refuses. */
export function operationHtml({ method, path, operation }: Placed, schemas: Schemas): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const answers = Object.entries(responses)
  return html`${headingHtml({
      id: operationId,
      level: 3,
      text: html`<span class="method ${method}">${method}</span> ${inlineCode(path)}`,
    })}
    <p><strong>${summary}.</strong> ${description}</p>
    ${
      parameters.length === 0
        ? null
        : html`<h4>Parameters</h4>
            ${parametersHtml(parameters)}`
    }
    ${requestBody === undefined ? null : bodyHtml(requestBody, schemas)}
    <h4>Call</h4>
    ${codeBlock(callOf({ method, path, operation }), `A call of ${path}`)}
    <h4>Answers</h4>
    ${answers.filter(([status]) => Number(status) < 300).map(answerHtml)}
    <h4>Errors</h4>
    ${errorsHtml(answers.filter(([status]) => Number(status) >= 300))}`
}

function parametersHtml(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    html`${inlineCode(name)} <span class="tag">${place}${required ? ', required' : ''}</span>`,
    typeHtml(schema),
    description,
  ])
  return table(['Parameter', 'Type', 'Meaning'], rows)
}

function bodyHtml(
  { required, content }: NonNullable<Operation['requestBody']>,
  schemas: Schemas,
): Html | null {
  const schema = content['application/json']?.schema
  if (!required || schema === undefined) return null
  const shape = schemas[schema.$ref?.replace(/^.*\//, '') ?? ''] ?? schema
  const isFree = shape.properties === undefined
  return html`<h4>Body</h4>
    ${isFree ? html`<p>Any JSON object.</p>` : fieldsHtml(shape, { marksRequired: true })}`
}

/** The call as a shell makes it, with BASE_URL and API_KEY of the environment. */
function callOf({ method, path, operation }: Placed): string {
  const { parameters, requestBody } = operation
  const valueOf = (name: string) =>
    encodeURIComponent(String(parameters.find((one) => one.name === name)?.example ?? ''))
  const query = parameters
    .filter((one) => one.in === 'query' && one.example !== undefined)
    .map(({ name }) => `${name}=${valueOf(name)}`)
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(name))
  const body = requestBody?.content['application/json']?.example
  return [
    `curl -sS ${method === 'POST' ? '-X POST ' : ''}"$BASE_URL${place}${query.length === 0 ? '' : `?${query.join('&')}`}"`,
    `  -H "apikey: $API_KEY"${body === undefined ? '' : " -H 'content-type: application/json'"}`,
    ...(body === undefined ? [] : [`  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n')
}

type Answer = [status: string, Operation['responses'][string]]

function answerHtml([status, { description, content }]: Answer): Html {
  const json = content?.['application/json']
  if (json === undefined) return html`<p>${inlineCode(status)} ${description}</p>`
  const isShort = JSON.stringify(json.example ?? '').length < 400
  return html`<details ${isShort ? 'open' : null}>
    <summary>${inlineCode(status)} ${description}</summary>
    <p>Shape: ${typeHtml(json.schema)}</p>
    ${json.example === undefined ? null : jsonBlock(json.example, `An answer with ${status}`)}
  </details>`
}

function errorsHtml(answers: readonly Answer[]): Html {
  return table(
    ['Status', 'Type', 'Meaning'],
    answers.map(([status, { description, content }]) => [
      inlineCode(status),
      joinHtml(
        Object.values(content?.['application/json']?.examples ?? {})
          .flatMap(({ value }) => errorTypeIn(value) ?? [])
          .map(inlineCode),
        ', ',
      ),
      description,
    ]),
    'statuses',
  )
}

/** What a body of an error says to branch on; some of v1 and v2 say nothing. */
export function errorTypeIn(body: unknown): string | null {
  const { error, code } = body as { error?: { type?: string } | string; code?: string }
  return (typeof error === 'string' ? error : error?.type) ?? code ?? null
}
