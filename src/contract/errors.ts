import * as z from 'zod'

/** Every v3 error body. Clients branch on the HTTP status and `type`, never on `message` (interface: "Errors"). */
export const errorBody = z.strictObject({ error: z.strictObject({ type: z.string(), message: z.string() }) })
export type ErrorBody = z.infer<typeof errorBody>

/** The error bodies of v1 and v2 (interface: "Errors"). */
export const earlierErrorBodies = {
  any: z.strictObject({ error: z.strictObject({ message: z.string(), type: z.string() }) }),
  key: z.strictObject({ message: z.string(), request_id: z.string() }),
  reason: z.strictObject({ error: z.string(), message: z.string() }),
  message: z.strictObject({ message: z.string() }),
  entity: z.strictObject({ message: z.string(), code: z.literal('entity_not_found') }),
} as const

/** Observed v3 types, and our own for statuses whose type the interface does not show. */
export const errorTypes = {
  badRequest: 'bad_request',
  unauthorized: 'unauthorized',
  insufficientCredits: 'insufficient_credits',
  noPricingConfigured: 'no_pricing_configured',
  /** A request from a web page of another site. */
  forbidden: 'forbidden',
  notFound: 'not_found',
  methodNotAllowed: 'method_not_allowed',
  payloadTooLarge: 'payload_too_large',
  /** The host name of the request is not this service's. */
  misdirectedRequest: 'misdirected_request',
  rateLimitExceeded: 'rate_limit_exceeded',
  /** A 429 of the plan, sent without the headers of the per-minute limit. */
  monthlyLimitReached: 'monthly_limit_reached',
  apiError: 'api_error',
} as const

/**
 * Returns a sentence about the first fault that a schema found in `value`, like `body.name must be text`. It never has the
 * value itself, which may be a secret. `nameOf` names the place: dotted names, '' for the whole value.
 */
export function describeFault(error: z.ZodError, value: unknown, nameOf: (path: string) => string): string {
  const [issue] = error.issues
  if (issue === undefined) return `${nameOf('')} is invalid`
  const given = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | null)?.[key],
    value,
  )
  const name = nameOf(issue.path.join('.'))
  if (given === undefined && missingCodes.has(issue.code)) return `${name} is missing`
  return isWordedByZod(issue) ? `${name} ${describeIssue(issue)}` : `${name}: ${issue.message}`
}

/** Names a place below `place`. */
export const nameBelow =
  (place: string) =>
  (path: string): string =>
    path === '' ? place : `${place}.${path}`

/** False for a message that the schema gives. */
const isWordedByZod = ({ message }: z.core.$ZodIssue): boolean =>
  /^(?:Invalid|Too (?:small|big)|Unrecognized)\b/.test(message)

const missingCodes: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value', 'invalid_union'])

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatNames: Readonly<Record<string, string>> = {
  url: 'a web address',
  date: 'a date like 2026-01-31',
  datetime: 'a date and time like 2026-01-31T09:00:00Z',
  email: 'an e-mail address',
  uuid: 'a UUID',
}

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' }

/** Says in plain words what zod reports. */
function describeIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${joinOr(issue.values.map((value) => JSON.stringify(value)))}`
    case 'invalid_union':
      return describeUnion(issue.errors)
    case 'unrecognized_keys':
      return `has the unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
    case 'too_small':
      return describeBound(
        issue.origin,
        Number(issue.minimum),
        issue.inclusive === false ? 'more than' : 'at least',
      )
    case 'too_big':
      return describeBound(
        issue.origin,
        Number(issue.maximum),
        issue.inclusive === false ? 'less than' : 'at most',
      )
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_format':
      return issue.format === 'regex'
        ? `must match ${issue.pattern ?? 'its pattern'}`
        : `must be ${formatNames[issue.format] ?? `a valid ${issue.format}`}`
    default:
      return issue.message
  }
}

function describeBound(origin: string, count: number, bound: string): string {
  const unit = units[origin]
  if (unit === undefined) return `must be ${bound} ${count}`
  if (bound === 'at least' && count === 1) return 'must not be empty'
  return `must have ${bound} ${count} ${count === 1 ? unit : `${unit}s`}`
}

/** Names the types that are accepted; of objects, says what is wrong with the one that fits best. */
function describeUnion(errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  const deep = errors.find(([first]) => first !== undefined && first.path.length > 0)?.[0]
  if (deep !== undefined) return `has at ${deep.path.join('.')} what ${describeIssue(deep)}`
  const texts = errors.flatMap(([first]) => (first === undefined ? [] : [describeIssue(first)]))
  const named = new Set(texts.map((text) => text.replace(/^must be /, '')))
  return named.size === 0 ? 'has none of the accepted forms' : `must be ${joinOr([...named])}`
}

const joinOr = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`
