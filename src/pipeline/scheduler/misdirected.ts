import type { RunObjectLenient } from '../../contract/result.js'
import { foldText } from '../../core/lookup-identity.js'
import { at } from '../../core/json.js'

/** Identity of a request that the answer must match; null if unknown. */
export interface ExpectedIdentity {
  readonly runId: string
  readonly customId: string | null
  /** As submitted. */
  readonly name: string | null
}

/**
 * Returns the reason why an answer belongs to another lookup, by its echoed members; null if nothing contradicts.
 * Missing or null members are no evidence (interface: "v3 job result", `metadata.query`). Run ids are compared exactly.
 * Of the query only the name is compared, since services rewrite places and contexts.
 */
export function explainMismatch(run: RunObjectLenient, asked: ExpectedIdentity): string | null {
  if (run.run_id !== asked.runId) return `the service answered with another run, ${quoteText(run.run_id)}`
  const customId = readCustomId(run)
  if (customId !== null && asked.customId !== null && customId !== foldCustomId(asked.customId)) {
    return `the service answered with the custom_id of another submission, ${quoteText(customId)}`
  }
  const name = readQueryName(run)
  if (name !== null && asked.name !== null && !isSameName(name, asked.name)) {
    return `the service answered for another company, ${quoteText(name)}`
  }
  return null
}

/** Returns the custom_id in a response, if it differs from the sent one; else null. */
export function findOtherCustomId(body: unknown, customId: string | null): string | null {
  const echoed = readCustomId(body)
  return customId === null || echoed === foldCustomId(customId) ? null : echoed
}

/** Whether a response names the submission as its own. */
export const echoesCustomId = (body: unknown, customId: string | null): boolean =>
  customId !== null && readCustomId(body) === foldCustomId(customId)

function readCustomId(body: unknown): string | null {
  return foldCustomId(toFilledText(at(body, 'custom_id')))
}

/** Ignores case, which some services change in an echo: ours have no capitals (`formatCustomId`). */
export const foldCustomId = (customId: string | null): string | null => customId?.toLowerCase() ?? null

function readQueryName(run: RunObjectLenient): string | null {
  return toFilledText(at(run.data, 'metadata', 'query', 'name'))
}

function toFilledText(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/** An echo of at least this many letters may be a truncated name. */
const cutNameCharsMin = 24
/** Fewest letters before an ellipsis. */
const markedNameCharsMin = 2

/**
 * Whether an echoed name can be the submitted one: equal letters and digits, ignoring case, accents, spaces,
 * punctuation and HTML escapes; or a truncation of it.
 */
export function isSameName(echoed: string, asked: string): boolean {
  if (echoed === asked) return true
  const [one, other] = [foldName(echoed), foldName(asked)]
  if (one === other) return true
  const charsMin = /(?:…|\.\.\.)\s*$/u.test(echoed) ? markedNameCharsMin : cutNameCharsMin
  return one.length >= charsMin && other.startsWith(one)
}

/** Longer than the name of any lookup. */
const comparedCharsMax = 2_000

function foldName(name: string): string {
  const text = foldText(name.slice(0, comparedCharsMax))
  const letters = text
    .replace(/&(?:[a-z]+|#x?[0-9a-f]+);/g, '')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '')
  // A name of signs only is compared by its signs.
  return letters === '' ? text : letters
}

const quotedCharsMax = 80

/** Quotes a text of the server on one line, truncated. */
function quoteText(text: string): string {
  return JSON.stringify(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax - 1)}…` : text)
}
