import { canonicalIdentifier } from '../../core/identifiers.js'
import { readIdentifiers, type NameWithIdentifiers } from '../../core/stated-identifiers.js'

export interface AskedIdentifiers extends NameWithIdentifiers {
  /** Why what was meant as an identifier is none, each: wrong check digits, too many digits. */
  readonly wrong: readonly string[]
}

const inBrackets = /^(.*\S)\s*\(([^()]+)\)$/
/** What can be no word of a name: so many letters and digits behind the label of an identifier, or of an LEI alone. */
const forms = [
  { type: 'lei', pattern: /^(?:LEI\s*[:#]?\s+)?([A-Z0-9]{18}\d{2})$/i },
  { type: 'cik', pattern: /^CIK\s*[:#]?\s+(\d[\d\s]{0,30})$/i },
  { type: 'ein', pattern: /^EIN\s*[:#]?\s+(\d[\d\s-]{0,30})$/i },
] as const

/** The identifiers that a text states, also beside ones that are wrong: these are no part of the name either. */
export function readAsked(text: string): AskedIdentifiers {
  const read = readIdentifiers(text)
  if (read.identifiers.length > 0) return { ...read, wrong: [] }
  const trimmed = text.trim()
  const [, name = null, bracket] = inBrackets.exec(trimmed) ?? []
  const parts = (bracket ?? trimmed).split(',').map((part) => part.trim())
  const wrong = parts.flatMap((part) => reasonOf(part) ?? [])
  const others = parts.filter((part) => reasonOf(part) === null)
  const rest = readIdentifiers(others.join(', '))
  const isNothingElse = others.length === 0 || rest.identifiers.length === others.length
  if (wrong.length === 0 || !isNothingElse) return { ...read, wrong: [] }
  return { name, identifiers: rest.identifiers, wrong }
}

/** Such a text is answered by whose they are, and not by names. */
export function statesIdentifiers(text: string): boolean {
  const { identifiers, wrong } = readAsked(text)
  return identifiers.length + wrong.length > 0
}

function reasonOf(part: string): string | null {
  for (const { type, pattern } of forms) {
    const value = pattern.exec(part)?.[1]
    const canonical = value === undefined ? null : canonicalIdentifier(type, value)
    if (canonical !== null && 'reason' in canonical) return canonical.reason
  }
  return null
}
