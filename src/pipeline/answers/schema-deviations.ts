import { runObject, type RunObjectLenient } from '../../contract/resolution.js'

export const deviationLimits = { countMax: 20, pathCharsMax: 120, itemsMax: 50 } as const

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

/**
 * Lists the deviations of a run object from the contract as short texts for counting: `unknown value at data.status`,
 * `unknown key data.entity.tier`, `wrong type at data.match_confidence`. List positions are written as `*`, so that
 * equal deviations have equal texts; only the first items of a list are checked. Never throws.
 */
export function findSchemaDeviations(run: RunObjectLenient): string[] {
  const schemaDeviations = new Set<string>()
  // The status is compared without case everywhere.
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
    return runObject.safeParse(sampleLists(run)).error?.issues ?? []
  } catch {
    // Nested deeper than the stack.
    return [{ path: [], code: 'unreadable' }]
  }
}

/** Truncates lists, since very long ones would take too much time. */
function sampleLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, deviationLimits.itemsMax).map(sampleLists)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sampleLists(member)]))
}

function describe(issue: Issue): readonly string[] {
  const path = formatPath(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return (issue.keys ?? [])
        .slice(0, deviationLimits.countMax)
        .map((key) => `unknown key ${formatPath([...issue.path, key])}`)
    case 'invalid_value':
      return [`unknown value at ${path}`]
    case 'invalid_type':
    case 'invalid_union':
      return [`wrong type at ${path}`]
    default:
      return [`out of bounds at ${path === '' ? 'the answer' : path}`]
  }
}

function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.')
  return text.length <= deviationLimits.pathCharsMax
    ? text
    : `${text.slice(0, deviationLimits.pathCharsMax - 1)}…`
}
