import { fieldLimits } from '../contract/limits.js'
import { isPlaceholder } from './placeholders.js'

/** What is asked of the service: rows that ask the same share one lookup, so one payment. */
export interface Lookup {
  name: string
  location: string | null
  context: string | null
}

export type Identified = { kind: 'lookup'; lookup: Lookup } | { kind: 'invalid'; reason: string }

/** A cell longer than this is not a name, a place or a hint; it would be billed and not be found. */
export const lookupCharsMax = { name: 500, location: 1_000, context: 4_000 } as const

/** Placeholders are shorter, but for rows of dashes. */
const shownCharsMax = 60

/**
 * Turns the cells of a row into a lookup. A name that is a placeholder (`n/a`) is none. Location and context cells are joined with
 * ", ", blank ones left out.
 */
export function identify(
  name: string | null,
  location: readonly (string | null)[],
  context: readonly (string | null)[],
): Identified {
  const lookup: Lookup = {
    name: tidy(name ?? ''),
    location: join(location),
    context: join(context),
  }
  const chars = Array.from(lookup.name).length
  if (chars === 0) return { kind: 'invalid', reason: 'no company name' }
  if (isPlaceholder(lookup.name)) {
    const shown = chars > shownCharsMax ? `${lookup.name.slice(0, shownCharsMax)}…` : lookup.name
    return { kind: 'invalid', reason: `"${shown}" says that there is no name` }
  }
  if (chars < fieldLimits.nameCharsMin) {
    return {
      kind: 'invalid',
      reason: `the name has ${chars} character; at least ${fieldLimits.nameCharsMin} are needed`,
    }
  }
  for (const field of ['name', 'location', 'context'] as const) {
    if ((lookup[field]?.length ?? 0) > lookupCharsMax[field]) {
      return { kind: 'invalid', reason: `the ${field} is longer than ${lookupCharsMax[field]} characters` }
    }
  }
  return { kind: 'lookup', lookup }
}

/**
 * The text a lookup is known by, whatever its spelling's case, width and spaces; hashed, it is the key in the
 * checkpoint. `occurrence` counts equal lookups apart when each row is to be asked on its own (from 0).
 * The leading number is the version of this rule: it may only change together with a migration.
 */
export function identityText(lookup: Lookup, occurrence: number): string {
  return JSON.stringify([
    1,
    foldText(lookup.name),
    foldText(lookup.location),
    foldText(lookup.context),
    occurrence,
  ])
}

/** One spelling of texts that differ in case, width and spaces alone. */
export function foldText(text: string | null): string {
  return text === null ? '' : tidy(text.normalize('NFKC').toLowerCase())
}

/** One line, single spaces, no control characters, composed letters, well-formed. */
function tidy(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      // eslint-disable-next-line no-control-regex -- control characters are never part of a name
      .replace(/[\s\x00-\x1f\x7f-\x9f\u200b\ufeff]+/g, ' ')
      .trim()
  )
}

function join(parts: readonly (string | null)[]): string | null {
  const joined = parts
    .map((part) => tidy(part ?? ''))
    .filter((part) => part !== '')
    .join(', ')
  return joined === '' ? null : joined
}
