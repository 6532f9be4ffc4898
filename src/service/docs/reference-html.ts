import { html, joinHtml, type Html, type HtmlPart } from '../../web/html.js'
import { buildCallSamples, type Samples } from './samples.js'

export const renderInlineCode = (text: string): Html => html`<code>${text}</code>`

/** Can be scrolled, also by keyboard, if it is wider than the page. */
export const renderCodeBlock = (code: HtmlPart, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre>`

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g

/** Renders JSON with its keys and values highlighted. */
export function renderJson(value: unknown, label: string): Html {
  const text = JSON.stringify(value, null, 2)
  const parts: HtmlPart[] = []
  let end = 0
  for (const match of text.matchAll(jsonToken)) {
    const [token, string, colon = ''] = match
    const kind = string === undefined ? 'n' : colon === '' ? 's' : 'k'
    parts.push(text.slice(end, match.index), html`<span class="${kind}">${string ?? token}</span>`, colon)
    end = match.index + token.length
  }
  return renderCodeBlock([...parts, text.slice(end)], label)
}

/** On a narrow screen each row becomes a block without `head`. */
export const renderTable = (
  head: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
  kind = 'fields',
): Html =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`

/** Shows one of several panes, selected without a script. `group` must be unique in the page. */
const renderTabs = (group: string, panes: readonly { readonly label: string; readonly body: Html }[]): Html =>
  html`<div class="tabs">
    ${panes.map(({ label, body }, index) => {
      const id = `${group}-${index + 1}`
      return html`<input type="radio" name="${group}" id="${id}" ${index === 0 ? 'checked' : null} />
        <label for="${id}">${label}</label>
        <div class="pane">${body}</div>`
    })}
  </div>`

/** Renders a sample in each language. `group` must be unique in the page; `title` precedes the language in labels. */
export function renderSamples(group: string, list: Samples, title = ''): HtmlPart {
  const render = (language: string, code: string) => renderCodeBlock(code, `${title}${language}`)
  const blocks = list.map(({ language, code }) => ({ label: language, body: render(language, code) }))
  return blocks.length === 1 ? blocks.map(({ body }) => body) : renderTabs(group, blocks)
}

interface Heading {
  readonly id: string
  readonly level: 2 | 3
  readonly text: HtmlPart
}

export function renderHeading({ id, level, text }: Heading): Html {
  const inner = html`${text} <a class="here" href="#${id}" aria-label="Link to this section">#</a>`
  return level === 2 ? html`<h2 id="${id}">${inner}</h2>` : html`<h3 id="${id}">${inner}</h3>`
}

/** The part of JSON Schema that the documents use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export type Schemas = Readonly<Record<string, Schema>>

export const toShapeId = (ref: string): string => `shape-${ref.slice(ref.lastIndexOf('/') + 1)}`

/** Describes the type of a value in words, with links to named shapes. */
function renderType(schema: Schema): Html {
  const constraints = describeConstraints(schema)
  return constraints === ''
    ? html`${renderKind(schema)}`
    : html`${renderKind(schema)} <span class="quiet">${constraints}</span>`
}

function renderKind(schema: Schema): HtmlPart {
  const { $ref, oneOf, anyOf = oneOf, enum: values, items, type } = schema
  if ($ref !== undefined)
    return html`<a href="#${toShapeId($ref)}">${$ref.slice($ref.lastIndexOf('/') + 1)}</a>`
  if (anyOf !== undefined) {
    const kinds = new Map(anyOf.map(renderType).map((kind) => [String(kind), kind]))
    return joinHtml([...kinds.values()], ' or ')
  }
  if (values !== undefined)
    return joinHtml(
      values.map((value) => renderInlineCode(String(value))),
      ', ',
    )
  if (schema.const !== undefined) return renderInlineCode(JSON.stringify(schema.const))
  if (type === 'array') return ['list of ', items === undefined ? 'anything' : renderKind(items)]
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything')
}

function describeConstraints(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema
  // The bounds of safe integers are no limits of the interface.
  const isStated = (value?: number) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return [
    formatRange(isStated(minimum) ? minimum : undefined, isStated(maximum) ? maximum : undefined, ''),
    formatRange(minLength, maxLength, ' characters'),
    formatRange(minItems, maxItems, ' entries'),
    format ?? '',
    pattern === undefined || format !== undefined ? '' : pattern,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((part) => part !== '')
    .join('; ')
}

function formatRange(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return ''
  if (min === undefined) return `at most ${max ?? ''}${unit}`
  return max === undefined ? `at least ${min}${unit}` : `${min} to ${max}${unit}`
}

interface FieldOptions {
  readonly marksRequired: boolean
  /** The named shapes whose fields are listed in place; by default they are links. */
  readonly schemas?: Schemas
}

/** Renders a row for each field; fields of blocks follow with their path. */
export function renderFields(schema: Schema, options: FieldOptions): Html {
  return renderTable(['Field', 'Type', 'Meaning'], buildFieldRows(schema, '', options))
}

function buildFieldRows(
  { properties = {}, required = [] }: Schema,
  prefix: string,
  options: FieldOptions,
): HtmlPart[][] {
  const { marksRequired, schemas = {} } = options
  return Object.entries(properties).flatMap(([key, field]) => {
    const path = `${prefix}${key}`
    const isRequired = required.includes(key)
    const mark =
      isRequired !== marksRequired
        ? null
        : html` <span class="tag">${isRequired ? 'required' : 'may be absent'}</span>`
    const row = [[renderInlineCode(path), mark], renderType(field), field.description ?? '']
    const inner = findInnerBlock(field, schemas)
    return [row, ...(inner === null ? [] : buildFieldRows(inner.schema, `${path}${inner.mark}.`, options))]
  })
}

const resolveShape = (schema: Schema, schemas: Schemas): Schema =>
  schemas[schema.$ref?.replace(/^.*\//, '') ?? ''] ?? schema

/** Returns the first block with fields inside a field; `null` if none. No shape contains itself. */
function findInnerBlock(field: Schema, schemas: Schemas): { schema: Schema; mark: string } | null {
  const schema = resolveShape(field, schemas)
  if (schema.properties !== undefined) return { schema, mark: '' }
  if (schema.items !== undefined) {
    const inner = findInnerBlock(schema.items, schemas)
    return inner === null ? null : { schema: inner.schema, mark: `[]${inner.mark}` }
  }
  for (const option of schema.anyOf ?? []) {
    const inner = findInnerBlock(option, schemas)
    if (inner !== null) return inner
  }
  return null
}

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

export interface PlacedOperation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly operation: Operation
}

/** Renders one route: description, parameters, body, example call, answers and errors. */
export function renderOperation({ method, path, operation }: PlacedOperation, schemas: Schemas): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const answers = Object.entries(responses)
  return html`${renderHeading({
      id: operationId,
      level: 3,
      text: html`<span class="method ${method}">${method}</span> ${renderInlineCode(path)}`,
    })}
    <p><strong>${summary}.</strong> ${description}</p>
    ${
      parameters.length === 0
        ? null
        : html`<h4>Parameters</h4>
            ${renderParameters(parameters)}`
    }
    ${requestBody === undefined ? null : renderBody(requestBody, schemas)}
    <h4>Call</h4>
    ${renderSamples(`call-${operationId}`, buildCalls({ method, path, operation }), `${method} ${path}: `)}
    <h4>Answers</h4>
    ${answers.filter(([status]) => Number(status) < 300).map((answer) => renderAnswer(answer, schemas))}
    <h4>Errors</h4>
    ${renderErrors(answers.filter(([status]) => Number(status) >= 300))}`
}

function renderParameters(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    html`${renderInlineCode(name)} <span class="tag">${place}${required ? ', required' : ''}</span>`,
    renderType(schema),
    description,
  ])
  return renderTable(['Parameter', 'Type', 'Meaning'], rows)
}

function renderBody(
  { required, content }: NonNullable<Operation['requestBody']>,
  schemas: Schemas,
): Html | null {
  const schema = content['application/json']?.schema
  if (!required || schema === undefined) return null
  const shape = resolveShape(schema, schemas)
  const isFree = shape.properties === undefined
  return html`<h4>Body</h4>
    ${isFree ? html`<p>Any JSON object.</p>` : renderFields(shape, { marksRequired: true, schemas })}`
}

/** Returns the call in each language; all read BASE_URL and API_KEY from the environment. */
function buildCalls({ method, path, operation }: PlacedOperation): Samples {
  const { parameters, requestBody } = operation
  const getExampleValue = (name: string) =>
    encodeURIComponent(String(parameters.find((one) => one.name === name)?.example ?? ''))
  const query = parameters
    .filter((one) => one.in === 'query' && one.example !== undefined)
    .map(({ name }) => `${name}=${getExampleValue(name)}`)
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => getExampleValue(name))
  const address = `${place}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const body = requestBody?.content['application/json']?.example
  return buildCallSamples({ method, address, body })
}

type Answer = [status: string, Operation['responses'][string]]

function renderAnswer([status, { description, content }]: Answer, schemas: Schemas): Html {
  const json = content?.['application/json']
  if (json === undefined) return html`<p>${renderInlineCode(status)} ${description}</p>`
  const isShort = JSON.stringify(json.example ?? '').length < 400
  return html`<details ${isShort ? 'open' : null}>
    <summary>${renderInlineCode(status)} ${description}</summary>
    <p>Shape: ${renderType(json.schema)}</p>
    ${listShapes(json.schema, schemas).map(renderAnswerFields(schemas))}
    ${json.example === undefined ? null : renderJson(json.example, `An answer with ${status}`)}
  </details>`
}

/** Returns the shapes of an answer that have fields: several if it is one of several shapes. */
function listShapes(schema: Schema, schemas: Schemas): Schema[] {
  const shape = resolveShape(schema, schemas)
  const options = shape.oneOf ?? shape.anyOf
  if (options !== undefined) return options.flatMap((option) => listShapes(option, schemas))
  return shape.properties === undefined ? [] : [shape]
}

const renderAnswerFields =
  (schemas: Schemas) =>
  (shape: Schema): Html =>
    html`<details>
      <summary>Fields: ${shape.description ?? ''}</summary>
      ${renderFields(shape, { marksRequired: false, schemas })}
    </details>`

function renderErrors(answers: readonly Answer[]): Html {
  return renderTable(
    ['Status', 'Type', 'Meaning'],
    answers.map(([status, { description, content }]) => [
      renderInlineCode(status),
      joinHtml(
        Object.values(content?.['application/json']?.examples ?? {})
          .flatMap(({ value }) => findErrorType(value) ?? [])
          .map(renderInlineCode),
        ', ',
      ),
      description,
    ]),
    'statuses',
  )
}

/** Returns the error type in an error body; `null` if it has none, as in some errors of v1 and v2. */
export function findErrorType(body: unknown): string | null {
  const { error, code } = body as { error?: { type?: string } | string; code?: string }
  return (typeof error === 'string' ? error : error?.type) ?? code ?? null
}
