import { z } from 'zod'
import { fieldTextsOf, namedShapes } from '../../contract/descriptions.js'
import { routes, type Route } from '../../contract/routes.js'

export type Json = Readonly<Record<string, unknown>>

type Direction = 'input' | 'output'

/** JSON Schemas of everything that the routes take and answer. */
export interface Shapes {
  /** By their names, as `components.schemas` holds them. */
  readonly named: Readonly<Record<string, Json>>
  /** The schema at the place where it is used: a reference, where it has a name. */
  of(schema: z.ZodType, direction: Direction): Json
}

const refTo = (id: string) => `#/components/schemas/${id}`

/** `extra` are shapes that no route holds: of events and errors. */
export function collectShapes(extra: readonly z.ZodType[]): Shapes {
  const all = Object.values<Route>(routes)
  const input = all.flatMap(({ params, query, body }) => [params, query, ...(body === null ? [] : [body])])
  const output = [...all.flatMap(({ replies }) => Object.values(replies)), ...extra]
  const made = { input: printed(input, 'input'), output: printed(output, 'output') }
  const bodies = all.flatMap(({ body }) => (body === null ? [] : (namedShapes.get(body)?.id ?? [])))
  return {
    named: Object.fromEntries(
      [...made.output.named].map(([id, json]) => [
        id,
        (bodies.includes(id) ? made.input.named.get(id) : undefined) ?? json,
      ]),
    ),
    of: (schema, direction) => {
      const id = namedShapes.get(schema)?.id
      if (id !== undefined) return { $ref: refTo(id) }
      const json = made[direction].unnamed.get(schema)
      if (json === undefined) throw new Error('a schema is asked for that no route holds')
      return json
    },
  }
}

/** One pass for all of them, so that one refers to another by name. */
function printed(schemas: readonly z.ZodType[], io: Direction) {
  const registry = z.registry<{ id: string }>()
  const named = namesOf()
  for (const [schema, id] of named) registry.add(schema, { id })
  const unnamed = [...new Set(schemas)].filter((schema) => !named.has(schema))
  unnamed.forEach((schema, index) => registry.add(schema, { id: `unnamed ${index}` }))
  const { schemas: json } = z.toJSONSchema(registry, {
    io,
    uri: refTo,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      describe(zodSchema, jsonSchema)
    },
  })
  const tidied = (id: string) =>
    Object.fromEntries(Object.entries(json[id] ?? {}).filter(([key]) => key !== '$schema' && key !== '$id'))
  return {
    named: new Map([...named.values()].map((id) => [id, tidied(id)])),
    unnamed: new Map(unnamed.map((schema, index) => [schema, tidied(`unnamed ${index}`)])),
  }
}

function namesOf(): Map<z.core.$ZodType, string> {
  const names = new Map<z.core.$ZodType, string>()
  for (const [id, schema] of namedShapes._idmap) names.set(schema, id)
  return names
}

function describe(schema: z.core.$ZodType, json: Record<string, unknown>): void {
  const name = namedShapes.get(schema as z.ZodType)
  if (name !== undefined && json['description'] === undefined) json['description'] = name.text
  const texts = fieldTextsOf(schema)
  const properties = json['properties'] as Record<string, Json> | undefined
  if (texts === undefined || properties === undefined) return
  json['properties'] = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => {
      const field = texts[key]
      if (field === undefined) return [key, value]
      // A copy: fields of one type share its schema.
      return typeof field === 'string'
        ? [key, { ...value, description: field }]
        : [key, { ...field.schema, description: field.text }]
    }),
  )
}
