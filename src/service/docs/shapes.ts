import * as z from 'zod'
import { getFieldTexts, namedShapes } from '../../contract/descriptions.js'
import { routes, type Route } from '../../contract/routes.js'

export type Json = Readonly<Record<string, unknown>>

type Direction = 'input' | 'output'

/** JSON Schemas of everything that the routes take and return. */
export interface Shapes {
  /** The named schemas, as in `components.schemas`. */
  readonly named: Readonly<Record<string, Json>>
  /** Returns the schema for the place of use: a reference if it has a name. */
  getSchema(schema: z.ZodType, direction: Direction): Json
  /** Returns the schema of parameters, which cannot be a reference. */
  getParameterSchema(schema: z.ZodType): Json
}

const toRef = (id: string) => `#/components/schemas/${id}`

/** Collects the schemas of all routes. `extra` are shapes of no route: events and errors. */
export function collectShapes(extra: readonly z.ZodType[]): Shapes {
  const all = Object.values<Route>(routes)
  const input = all.flatMap(({ params, query, body }) => [params, query, ...(body === null ? [] : [body])])
  const output = [...all.flatMap(({ replies }) => Object.values(replies)), ...extra]
  const made = { input: printSchemas(input, 'input'), output: printSchemas(output, 'output') }
  const bodies = all.flatMap(({ body }) => (body === null ? [] : (namedShapes.get(body)?.id ?? [])))
  const getUnnamedSchema = (schema: z.ZodType, direction: Direction): Json => {
    const json = made[direction].unnamed.get(schema)
    if (json === undefined) throw new Error('the schema belongs to no route')
    return json
  }
  return {
    named: Object.fromEntries(
      [...made.output.named].map(([id, json]) => [
        id,
        (bodies.includes(id) ? made.input.named.get(id) : undefined) ?? json,
      ]),
    ),
    getSchema: (schema, direction) => {
      const id = namedShapes.get(schema)?.id
      return id === undefined ? getUnnamedSchema(schema, direction) : { $ref: toRef(id) }
    },
    getParameterSchema: (schema) =>
      made.input.named.get(namedShapes.get(schema)?.id ?? '') ?? getUnnamedSchema(schema, 'input'),
  }
}

/** Converts all schemas in one pass, so that they refer to each other by name. */
function printSchemas(schemas: readonly z.ZodType[], io: Direction) {
  const registry = z.registry<{ id: string }>()
  const named = mapNames()
  for (const [schema, id] of named) registry.add(schema, { id })
  const unnamed = [...new Set(schemas)].filter((schema) => !named.has(schema))
  unnamed.forEach((schema, index) => registry.add(schema, { id: `unnamed ${index}` }))
  const marked: FieldTexts[] = []
  const { schemas: json } = z.toJSONSchema(registry, {
    io,
    uri: toRef,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = namedShapes.get(zodSchema)
      if (name !== undefined) jsonSchema.description ??= name.text
      if (zodSchema instanceof z.ZodDiscriminatedUnion)
        jsonSchema['discriminator'] = printDiscriminator(zodSchema)
      const texts = getFieldTexts(zodSchema)
      if (texts !== undefined && jsonSchema.properties !== undefined)
        jsonSchema[mark] = marked.push(texts) - 1
    },
  })
  const cleanSchema = (id: string) => {
    const schema = Object.entries(json[id] ?? {}).filter(([key]) => key !== '$schema' && key !== '$id')
    return addTexts(Object.fromEntries(schema), marked) as Json
  }
  return {
    named: new Map([...named.values()].map((id) => [id, cleanSchema(id)])),
    unnamed: new Map(unnamed.map((schema, index) => [schema, cleanSchema(`unnamed ${index}`)])),
  }
}

/** Generated clients narrow a union by it. Each option must be a named object with a literal of its own. */
function printDiscriminator({ def }: z.ZodDiscriminatedUnion): Json {
  const mapping = def.options.flatMap((option) => {
    const id = namedShapes.get(option as z.ZodType)?.id
    const literal: unknown = (option as z.ZodObject).shape[def.discriminator]
    if (id === undefined || !(literal instanceof z.ZodLiteral)) return []
    return [[String(literal.value), toRef(id)]]
  })
  return { propertyName: def.discriminator, mapping: Object.fromEntries(mapping) }
}

function mapNames(): Map<z.core.$ZodType, string> {
  const names = new Map<z.core.$ZodType, string>()
  for (const [id, schema] of namedShapes._idmap) names.set(schema, id)
  return names
}

/** Marks the places for the texts of fields: the schemas of fields are shared until all are converted. */
const mark = 'x-fields-of'

type FieldTexts = NonNullable<ReturnType<typeof getFieldTexts>>

function addTexts(json: unknown, marked: readonly FieldTexts[]): unknown {
  if (Array.isArray(json)) return json.map((item) => addTexts(item, marked))
  if (typeof json !== 'object' || json === null) return json
  const { [mark]: number, ...inner } = Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, addTexts(value, marked)]),
  )
  const texts = typeof number === 'number' ? marked[number] : undefined
  if (texts === undefined) return inner
  const properties = Object.entries(inner['properties'] as Readonly<Record<string, Json>>)
  return { ...inner, properties: Object.fromEntries(properties.map((entry) => withText(entry, texts))) }
}

function withText([key, schema]: [string, Json], texts: FieldTexts): [string, Json] {
  const field = texts[key]
  if (field === undefined) return [key, schema]
  if (typeof field === 'string') return [key, { ...schema, description: field }]
  return [key, { ...field.schema, description: field.text }]
}
