import * as z from 'zod'
import { UserError, getErrorText, type ErrorCode } from '../../core/errors.js'
import { describeFault } from '../../contract/errors.js'
import { verdicts } from '../../core/decisions.js'
import { queueSorts, queueViews } from '../session.js'
import { redactAddresses } from '../../core/local-path.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { PageError } from '../page-data.js'

export const requestLimits = {
  windowRowsMax: 500,
  findMax: 20,
  lookupsMax: 10_000,
  textCharsMax: 500,
  noteCharsMax: 2_000,
  bodyBytesMax: 1_000_000,
  headerBytesMax: 8_192,
} as const

const lookup = z.string().regex(/^[0-9a-f]{32}$/)
const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
const sequence = z.int().min(0)
const list = z
  .string()
  .max(1_000)
  .transform((text) => text.split(',').filter((part) => part !== ''))

/** `GET /api/queue` */
export const queueQuery = z.object({
  from: wholeNumber.default(0),
  count: wholeNumber.pipe(z.int().min(1).max(requestLimits.windowRowsMax)).default(60),
  view: z.enum(queueViews).default('open'),
  status: list.default([]),
  text: z.string().max(requestLimits.textCharsMax).default(''),
  sort: z.enum(queueSorts).default('rows'),
  find: list.pipe(z.array(lookup).max(requestLimits.findMax)).default([]),
})

/** `GET /api/lookups/{lookup}` */
export const lookupParams = z.object({ lookup })

/** `GET /api/search` */
export const searchQuery = z.object({
  lookup,
  text: z.string().trim().min(1).max(requestLimits.textCharsMax),
  country: z
    .string()
    .regex(/^(?:[A-Za-z]{2})?$/)
    .transform((code) => (code === '' ? null : code.toUpperCase()))
    .default(null),
})

/** `GET /api/decisions` */
export const decisionsQuery = z.object({
  count: wholeNumber.pipe(z.int().min(1).max(requestLimits.windowRowsMax)).default(50),
})

/** `POST /api/decisions` */
export const decideBody = z
  .strictObject({
    lookups: z
      .array(z.strictObject({ lookup, seen: sequence }))
      .min(1)
      .max(requestLimits.lookupsMax),
    verdict: z.enum(verdicts),
    entityId: z.string().min(1).max(300).nullable(),
    note: z.string().max(requestLimits.noteCharsMax).nullable(),
  })
  .refine(({ verdict, entityId }) => (verdict === 'accepted') === (entityId !== null), {
    error: 'an id is required for the verdict accepted, and not allowed for others',
  })
  .refine(({ lookups }) => new Set(lookups.map((one) => one.lookup)).size === lookups.length, {
    error: 'a lookup occurs twice',
  })

/** `POST /api/undo` */
export const undoBody = z.strictObject({ sequences: z.array(sequence).max(requestLimits.lookupsMax) })

/** Throws REVIEW_REQUEST_INVALID with the path of the invalid value. */
export function parseRequest<Value>(schema: z.ZodType<Value>, given: unknown): Value {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const fault = describeFault(parsed.error, given, (path) => (path === '' ? 'the request' : path))
  throw new UserError('REVIEW_REQUEST_INVALID', fault, { hint: 'reload the page' })
}

interface ErrorReply {
  readonly status: number
  readonly body: PageError
}

const statusOfCode: Partial<Record<ErrorCode, number>> = {
  REVIEW_REQUEST_INVALID: 400,
  REVIEW_ACCESS_REFUSED: 403,
  REVIEW_LOOKUP_UNKNOWN: 404,
  REVIEW_CHOICE_INVALID: 422,
  REVIEW_CHECKPOINT_CHANGED: 410,
  DISK_FULL: 507,
}

export function createErrorReply(
  code: ErrorCode,
  status: number,
  message: string,
  hint?: string,
): ErrorReply {
  return { status, body: { error: { code, message, hint: hint ?? null } } }
}

/** Returns the error for the page; `null` for a bug, whose details stay on the server. */
export function toErrorReply(thrown: unknown): ErrorReply | null {
  const error = explainSystemFailure(thrown)
  if (error instanceof UserError) {
    const { code, hint } = error
    const said = hint === undefined ? undefined : redactAddresses(hint)
    return createErrorReply(code, statusOfCode[code] ?? 500, redactAddresses(getErrorText(error)), said)
  }
  const status = getRequestStatus(error)
  if (status === null) return null
  return createErrorReply('REVIEW_REQUEST_INVALID', status, getStatusMessage(status), 'reload the page')
}

/** Status of an error that the framework throws before routing: body too large, or not JSON. */
function getRequestStatus(error: unknown): number | null {
  const { statusCode: status } = (error ?? {}) as { statusCode?: unknown }
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

function getStatusMessage(status: number): string {
  if (status === 413) return 'the request is too large'
  if (status === 415) return 'only JSON is accepted'
  return 'the request cannot be read'
}
