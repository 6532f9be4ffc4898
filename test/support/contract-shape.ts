import { z } from 'zod'

/** A place in a body where the contract wants a block of named keys. `*` stands for every item of a list. */
interface Block {
  readonly path: string
  readonly keys: readonly string[]
  /** The block as a whole may be null. */
  readonly isNullable: boolean
}

interface Walk {
  readonly blocks: Block[]
  readonly optionals: string[]
}

/** Every block of a schema, and the paths of keys that may be absent. */
export function shapeOf(schema: z.ZodType): Walk {
  const walk: Walk = { blocks: [], optionals: [] }
  visit(schema, '', false, walk)
  return walk
}

function visit(schema: z.core.$ZodType, path: string, isNullable: boolean, walk: Walk): void {
  if (schema instanceof z.ZodNullable) visit(schema.unwrap(), path, true, walk)
  else if (schema instanceof z.ZodOptional) visit(schema.unwrap(), path, isNullable, walk)
  else if (schema instanceof z.ZodArray) visit(schema.element, joined(path, '*'), false, walk)
  else if (schema instanceof z.ZodUnion) for (const one of schema.options) visit(one, path, isNullable, walk)
  else if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape
    walk.blocks.push({ path, keys: Object.keys(shape), isNullable })
    for (const [key, inner] of Object.entries(shape)) {
      if (inner instanceof z.ZodOptional) walk.optionals.push(joined(path, key))
      visit(inner, joined(path, key), false, walk)
    }
  }
}

/** Keys of the contract that a body lacks, and blocks that are null though not every block may be. */
export function gapsIn(
  body: unknown,
  schema: z.core.$ZodType,
  mayBeNull: readonly string[],
  path = '',
): string[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return gapsIn(body, schema.unwrap(), mayBeNull, path)
  }
  if (schema instanceof z.ZodUnion) {
    const [best = []] = schema.options
      .map((one) => gapsIn(body, one, mayBeNull, path))
      .sort((a, b) => a.length - b.length)
    return best
  }
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(body)) return []
    return body.flatMap((item) => gapsIn(item, schema.element, mayBeNull, joined(path, '*')))
  }
  if (!(schema instanceof z.ZodObject)) return []
  if (typeof body !== 'object' || body === null)
    return mayBeNull.some((end) => endsWith(path, end)) ? [] : [`${path} is null`]
  const held = new Map<string, unknown>(Object.entries(body))
  const entries: [string, z.core.$ZodType][] = Object.entries(schema.shape)
  return entries.flatMap(([key, inner]) => {
    if (held.has(key)) return gapsIn(held.get(key), inner, mayBeNull, joined(path, key))
    return inner instanceof z.ZodOptional ? [] : [`${joined(path, key)} is absent`]
  })
}

const joined = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

export const endsWith = (path: string, end: string) => path === end || path.endsWith(`.${end}`)
