import type { RunObjectLenient } from '../../contract/resolution.js'
import { foldText } from '../../core/lookup-identity.js'
import { at } from '../../core/json.js'

/** What an answer must not contradict; null where nothing is known of it. */
export interface Asked {
  readonly runId: string
  readonly customId: string | null
  /** As it was submitted. */
  readonly name: string | null
}

/** A submission that the service gave a run to. */
export interface Contender {
  readonly customId: string
  readonly name: string
}

/**
 * Why an answer belongs to another lookup than the one asked for, by what it echoes; null where nothing in it says
 * so. What a service leaves out, or sends as null, is no evidence (interface: "v3 job result", `metadata.query`).
 *
 * The ids are opaque and are compared as they are. Of the query the name alone is compared: places and contexts are
 * rewritten by services, a name is echoed.
 */
export function whyMisdirected(run: RunObjectLenient, asked: Asked): string | null {
  if (run.run_id !== asked.runId) return `the service answered with another run, ${quoted(run.run_id)}`
  const customId = customIdOf(run)
  if (customId !== null && asked.customId !== null && customId !== asked.customId) {
    return `the service answered with the custom_id of another submission, ${quoted(customId)}`
  }
  const name = nameOf(run)
  if (name !== null && asked.name !== null && !isSameName(name, asked.name)) {
    return `the service answered for another company, ${quoted(name)}`
  }
  return null
}

/**
 * The one of several submissions with one run that its answer is proved to belong to: by the custom_id it bears,
 * or, where it bears none, by a name that only one of them asked for. Null where nothing proves it.
 */
export function provenOwner<Item extends Contender>(
  run: RunObjectLenient,
  contenders: readonly Item[],
): Item | null {
  const name = nameOf(run)
  const named = name === null ? contenders : contenders.filter((one) => isSameName(name, one.name))
  const customId = customIdOf(run)
  if (customId !== null) return named.find((one) => one.customId === customId) ?? null
  const [only, ...others] = named
  return name !== null && only !== undefined && others.length === 0 ? only : null
}

/** The custom_id that the answer to a submission bears, where it is not the one that was sent; else null. */
export function otherCustomId(body: unknown, customId: string | null): string | null {
  const echoed = customIdOf(body)
  return customId === null || echoed === customId ? null : echoed
}

/** Whose lookup an answer says that it belongs to; null where it does not say. */
const echoOf = (run: RunObjectLenient): { customId: string | null; name: string | null } => ({
  customId: customIdOf(run),
  name: nameOf(run),
})

function customIdOf(body: unknown): string | null {
  return filledText(at(body, 'custom_id'))
}

function nameOf(run: RunObjectLenient): string | null {
  return filledText(at(run.data, 'metadata', 'query', 'name'))
}

function filledText(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? null : text
}

/** An echo without a mark of its cut is taken for one from this many letters on: shorter names are names. */
const cutNameCharsMin = 24
/** What a name must at least have in front of a mark of its cut. */
const markedNameCharsMin = 2

/**
 * Whether a name that a service echoes can be the name that was asked for: letters and digits agree, whatever the
 * case, the marks, the spaces, the punctuation and the escapes of HTML; or it is a cut of the name.
 */
export function isSameName(echoed: string, asked: string): boolean {
  if (echoed === asked) return true
  const [one, other] = [foldName(echoed), foldName(asked)]
  if (one === other) return true
  const charsMin = /(?:…|\.\.\.)\s*$/u.test(echoed) ? markedNameCharsMin : cutNameCharsMin
  return one.length >= charsMin && other.startsWith(one)
}

/** Longer names than any lookup's are of no use here. */
const comparedCharsMax = 2_000

function foldName(name: string): string {
  const text = foldText(name.slice(0, comparedCharsMax))
  const letters = text
    .replace(/&(?:[a-z]+|#x?[0-9a-f]+);/g, '')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '')
  // A name of signs alone is compared by its signs.
  return letters === '' ? text : letters
}

const quotedCharsMax = 80

/** A server's text on one line, bounded. */
function quoted(text: string): string {
  return JSON.stringify(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax - 1)}…` : text)
}

/** A lookup, the run that the service gave its submission, and a final answer to that run. */
export interface HeldAnswer {
  readonly lookupId: number
  readonly runId: string
  readonly customId: string
  /** As it was submitted. */
  readonly name: string
  readonly run: RunObjectLenient
  readonly failed: boolean
}

/** A cache sends a wrong answer for a while; so many in a row, of both runs, are a mix-up of the runs themselves. */
const answersMin = 3

/**
 * Answers that belong to other lookups than those that hold their runs. Two lookups hold each other's run where the
 * answers to each run prove, by `custom_id` and echoed name, that they belong to the other lookup.
 */
export class MixedUpRuns {
  readonly #held = new Map<string, { last: HeldAnswer; ownerId: string; count: number }>()

  /** Notes an answer that is not its holder's; returns both where it and another prove each other, else `null`. */
  note(held: HeldAnswer): readonly [HeldAnswer, HeldAnswer] | null {
    const { customId: ownerId } = echoOf(held.run)
    if (ownerId === null || ownerId === held.customId) {
      this.forget(held.customId)
      return null
    }
    const known = this.#held.get(held.customId)
    const isSame = known?.ownerId === ownerId && known.last.runId === held.runId
    const count = isSame ? known.count + 1 : 1
    this.#held.set(held.customId, { last: held, ownerId, count })
    const other = this.#held.get(ownerId)
    if (other?.ownerId !== held.customId || Math.min(count, other.count) < answersMin) return null
    return echoesName(held, other.last) && echoesName(other.last, held) ? [held, other.last] : null
  }

  /** Its run was answered otherwise. */
  forget(customId: string): void {
    this.#held.delete(customId)
  }
}

function echoesName({ run }: HeldAnswer, { name }: HeldAnswer): boolean {
  const echoed = echoOf(run).name
  return echoed !== null && isSameName(echoed, name)
}
