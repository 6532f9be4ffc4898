import * as z from 'zod'
import { UserError } from '../../core/errors.js'
import { verdicts } from '../../pipeline/rules/decision.js'
import { queueSorts, queueViews } from '../session.js'

/** What the page may ask for, and how much of it. */
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
    error: 'a company is named where one is accepted, and only there',
  })
  .refine(({ lookups }) => new Set(lookups.map((one) => one.lookup)).size === lookups.length, {
    error: 'a lookup is named twice',
  })

/** `POST /api/undo` */
export const undoBody = z.strictObject({ sequences: z.array(sequence).max(requestLimits.lookupsMax) })

/** Throws REVIEW_REQUEST_INVALID, which says what is wrong where. */
export function parseRequest<Value>(schema: z.ZodType<Value>, given: unknown): Value {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const where = issue?.path.join('.') ?? ''
  throw new UserError(
    'REVIEW_REQUEST_INVALID',
    `${where === '' ? 'the request' : where}: ${issue?.message ?? 'invalid'}`,
    { hint: 'load the page again' },
  )
}
