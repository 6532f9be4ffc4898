import fc from 'fast-check'

const marker = '@@put it here@@'

/** Every place of a value: keys and list positions from the top. */
export function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inside = Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key]))
  return path.length === 0 ? inside : [path, ...inside]
}

/** The JSON text of a value with other JSON text in one place. */
export function withText(value: unknown, path: readonly string[], text: string): string {
  const copy = structuredClone(value) as Record<string, unknown>
  let parent = copy
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string, unknown>
  parent[path.at(-1) ?? ''] = marker
  return JSON.stringify(copy).replace(JSON.stringify(marker), () => text)
}

/** JSON that few servers send, and no parser may be surprised by. */
const schemaDeviations = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '9007199254740993',
  '123456789012345678901234567890',
  '2147483648',
  '""',
  '" "',
  '[]',
  '[[]]',
  '[null]',
  '{}',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"a\\u0000b\\u001b[2Jc\\r\\nd\\te\\u009b31m"',
  '"=cmd|\' /C calc\'!A0"',
  '"\\uff1dHYPERLINK(1)"',
  '{"__proto__":{"isPolluted":true}}',
  '{"constructor":{"prototype":{"isPolluted":true}}}',
  '{"toString":1,"valueOf":1,"hasOwnProperty":null,"length":1e9,"then":1}',
  '{"a":1,"a":2}',
  '[{"code":{},"type":[],"description":1e400,"impact":"\\ud800"},null,7,"x"]',
  '[{"field":"__proto__.isPolluted","citations":{"length":3}},{"field":"constructor.name"}]',
  '"2026-13-45T99:99:99Z"',
  '"0000-00-00T00:00:00Z"',
  '"+275760-09-13T00:00:00Z"',
] as const

export const strangeText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...schemaDeviations) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
)
