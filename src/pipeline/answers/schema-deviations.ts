import { runObject, type RunObjectLenient } from '../../contract/resolution.js'

export const deviationLimits = { countMax: 20, pathCharsMax: 120, itemsMax: 50 } as const

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

/**
 * What in a run object is outside the contract, as short texts fit to be counted: `unknown value at
 * data.status`, `unknown key data.entity.tier`, `wrong type at data.match_confidence`. List positions are
 * written `*`, so that the same deviation in many answers is one text; the first items of a list stand for the
 * rest. Never throws.
 */
export function findSchemaDeviations(run: RunObjectLenient): string[] {
  const schemaDeviations = new Set<string>()
  // The status of a run is compared upper-cased everywhere, so letter case is no deviation.
  const parsed = parse({ ...run, status: run.status.toUpperCase() })
  for (const issue of parsed) {
    for (const text of describe(issue)) {
      if (schemaDeviations.size >= deviationLimits.countMax) return [...schemaDeviations]
      schemaDeviations.add(text)
    }
  }
  return [...schemaDeviations]
}

function parse(run: unknown): readonly Issue[] {
  try {
    return runObject.safeParse(sampled(run)).error?.issues ?? []
  } catch {
    // Nested deeper than the stack.
    return [{ path: [], code: 'unreadable' }]
  }
}

/** Lists cut short: a hundred thousand citations take as long to judge as to send. */
function sampled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, deviationLimits.itemsMax).map(sampled)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sampled(member)]))
}

function describe(issue: Issue): readonly string[] {
  const path = generalise(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return (issue.keys ?? [])
        .slice(0, deviationLimits.countMax)
        .map((key) => `unknown key ${generalise([...issue.path, key])}`)
    case 'invalid_value':
      return [`unknown value at ${path}`]
    case 'invalid_type':
    case 'invalid_union':
      return [`wrong type at ${path}`]
    default:
      return [`out of bounds at ${path === '' ? 'the answer' : path}`]
  }
}

function generalise(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.')
  return text.length <= deviationLimits.pathCharsMax
    ? text
    : `${text.slice(0, deviationLimits.pathCharsMax - 1)}…`
}
