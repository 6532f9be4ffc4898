import { html, joinHtml, type Html, type HtmlPart } from '../../web/html.js'
import { inlineCode, table } from './html.js'

/** As much of JSON Schema as the documents use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
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

export const shapeIdOf = (ref: string): string => `shape-${ref.slice(ref.lastIndexOf('/') + 1)}`

/** What a value may be, in words, with links to the shapes that have a name. */
export function typeHtml(schema: Schema): Html {
  const constraints = constraintsOf(schema)
  return constraints === ''
    ? html`${kindHtml(schema)}`
    : html`${kindHtml(schema)} <span class="quiet">${constraints}</span>`
}

function kindHtml(schema: Schema): HtmlPart {
  const { $ref, anyOf, enum: values, items, type } = schema
  if ($ref !== undefined)
    return html`<a href="#${shapeIdOf($ref)}">${$ref.slice($ref.lastIndexOf('/') + 1)}</a>`
  if (anyOf !== undefined) {
    const kinds = new Map(anyOf.map(typeHtml).map((kind) => [String(kind), kind]))
    return joinHtml([...kinds.values()], ' or ')
  }
  if (values !== undefined)
    return joinHtml(
      values.map((value) => inlineCode(String(value))),
      ', ',
    )
  if (schema.const !== undefined) return inlineCode(JSON.stringify(schema.const))
  if (type === 'array') return ['list of ', items === undefined ? 'anything' : kindHtml(items)]
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything')
}

function constraintsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema
  // The widest integers of JSON are no limit of ours.
  const isStated = (value?: number) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return [
    range(isStated(minimum) ? minimum : undefined, isStated(maximum) ? maximum : undefined, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' entries'),
    format ?? '',
    pattern === undefined || format !== undefined ? '' : pattern,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((part) => part !== '')
    .join('; ')
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return ''
  if (min === undefined) return `at most ${max ?? ''}${unit}`
  return max === undefined ? `at least ${min}${unit}` : `${min} to ${max}${unit}`
}

/** A row for each field; those of blocks without a name follow with their path. */
export function fieldsHtml(schema: Schema, options: { readonly marksRequired: boolean }): Html {
  return table(['Field', 'Type', 'Meaning'], fieldRows(schema, '', options.marksRequired))
}

function fieldRows(
  { properties = {}, required = [] }: Schema,
  prefix: string,
  marksRequired: boolean,
): HtmlPart[][] {
  return Object.entries(properties).flatMap(([key, field]) => {
    const path = `${prefix}${key}`
    const isRequired = required.includes(key)
    const mark =
      isRequired !== marksRequired
        ? null
        : html` <span class="tag">${isRequired ? 'required' : 'may be absent'}</span>`
    const row = [[inlineCode(path), mark], typeHtml(field), field.description ?? '']
    const inner = innerOf(field)
    return [row, ...(inner === null ? [] : fieldRows(inner.schema, `${path}${inner.mark}.`, marksRequired))]
  })
}

/** The block within a field, where it has fields of its own and no name. */
function innerOf(field: Schema): { schema: Schema; mark: string } | null {
  if (field.properties !== undefined) return { schema: field, mark: '' }
  if (field.items?.properties !== undefined) return { schema: field.items, mark: '[]' }
  const block = field.anyOf?.find(({ properties }) => properties !== undefined)
  return block === undefined ? null : { schema: block, mark: '' }
}
