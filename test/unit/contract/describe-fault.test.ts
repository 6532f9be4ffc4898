import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { describeFault, nameBelow } from '../../../src/contract/errors.js'

const describeIn = (schema: z.ZodType, value: unknown): string => {
  const { error } = schema.safeParse(value)
  return error === undefined ? 'none' : describeFault(error, value, nameBelow('body'))
}

describe('a fault is told in plain words', () => {
  test.each<[z.ZodType, unknown, string]>([
    [z.object({ a: z.string() }), {}, 'body.a is missing'],
    [z.object({ a: z.enum(['x', 'y']) }), {}, 'body.a is missing'],
    [z.object({ a: z.string() }), { a: null }, 'body.a must be text'],
    [z.object({ a: z.int() }), { a: 1.5 }, 'body.a must be a whole number'],
    [z.object({ a: z.number() }), { a: Number.NaN }, 'body.a must be a number'],
    [z.object({ a: z.boolean() }), { a: 1 }, 'body.a must be true or false'],
    [z.array(z.object({ a: z.string() })), [{ a: '' }, { a: 1 }], 'body.1.a must be text'],
    [z.object({}), 'text', 'body must be an object'],
    [z.string().min(1), '', 'body must not be empty'],
    [z.string().min(2), '', 'body must have at least 2 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'body must have at most 1 item'],
    [z.number().gt(0), 0, 'body must be more than 0'],
    [z.number().max(5), 6, 'body must be at most 5'],
    [z.number().multipleOf(5), 6, 'body must be a multiple of 5'],
    [z.enum(['a', 'b', 'c']), 'd', 'body must be "a", "b" or "c"'],
    [z.string().regex(/^a/), 'b', 'body must match /^a/'],
    [z.url(), 'b', 'body must be a web address'],
    [z.iso.datetime(), 'b', 'body must be a date and time like 2026-01-31T09:00:00Z'],
    [z.strictObject({}), { b: 'value' }, 'body has the unknown key "b"'],
    [z.union([z.string(), z.number()]), true, 'body must be text or a number'],
    [z.string().refine(() => false, { error: 'text of one line' }), 'a', 'body: text of one line'],
    [z.string().min(3, { error: 'three letters' }), 'a', 'body: three letters'],
  ])('%#', (schema, value, text) => {
    expect(describeIn(schema, value)).toBe(text)
  })

  test('never with the value, which may be a secret', () => {
    const schema = z.object({ key: z.union([z.literal('a'), z.strictObject({ b: z.url() })]) })
    for (const key of ['sk-secret', { b: 'sk-secret' }, ['sk-secret'], { b: 'a', c: 'sk-secret' }])
      expect(describeIn(schema, { key })).not.toContain('sk-secret')
  })
})
