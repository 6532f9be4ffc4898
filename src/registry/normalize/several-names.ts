import { isLightWord } from './generic-words.js'
import { boundedText, parseName, registrarRemark } from './parsed-name.js'

/** Between two names of a list. */
const listMarks = /\s*[;|\\]\s*|\s+\/\s+|\s+\+\s+/
/** Between two names, and inside many a name too: only between two that each state a legal form. */
const joiningMarks = /\s*\/\s*|\s+(?:&|and|und|et|y|e)\s+|\s+[-\u2013\u2014]+\s+|\s*,\s*/i
/** What follows is a role of the same company, or whom it acts for. */
const roleMarks =
  /\b(?:d\/?b\/?a|t\/a|c\/o|f\/?k\/?a|a\/?k\/?a|n\/?k\/?a|o\/b\/o|trading as|trades as|doing business as|operating as|formerly|previously|on behalf of|for and on behalf|care of|known as)\b/i
/** "Smith Co. & Sons Ltd" is one company. */
const familyWords = new Set('sons son brothers bros daughters daughter associates partners'.split(' '))

/** Names in one text. */
export interface SeveralNames {
  readonly names: readonly string[]
  /** Each is told by a legal form of its own; else only what is known of the names tells whether they are two. */
  readonly areStated: boolean
}

/** What a text that names several companies may name, as a cell of two does: "Norvane Inc. / Larkmoor Ltd"; null for one name. */
export function severalNames(name: string): SeveralNames | null {
  const text = boundedText(name).replace(registrarRemark, '')
  if (roleMarks.test(text)) return null
  const of = (parts: readonly string[], areStated: boolean) => ({
    names: parts.map((part) => part.trim()),
    areStated,
  })
  const listed = partsOf(text, listMarks)
  if (listed.length > 1) return of(listed, listed.filter(statesForm).length > 1)
  const joined = upToForms(partsOf(text, joiningMarks))
  const areStated = joined.length > 1 && joined.every(statesForm) && joined.some(isIncorporated)
  return areStated ? of(joined, true) : null
}

/** A part that is no name belongs to the one before: "Norvane, Inc.", "Norvane GmbH & Co. KG". */
function partsOf(text: string, marks: RegExp): string[] {
  const parts: string[] = []
  let mark = ''
  // The pattern in brackets gives the marks too, at every other place.
  for (const [at, piece] of text.split(new RegExp(`(${marks.source})`, marks.flags)).entries()) {
    if (at % 2 === 1) mark = piece
    else if (parts.length > 0 && !isName(piece)) parts.push(`${parts.pop() ?? ''}${mark}${piece}`)
    else parts.push(piece)
  }
  return parts
}

/** "Ernst" and "Young LLP" are one name. */
function upToForms(parts: readonly string[]): string[] {
  const names: string[] = []
  for (const part of parts) {
    const last = names.at(-1)
    if (last === undefined || statesForm(last)) names.push(part)
    else names.splice(-1, 1, `${last} & ${part}`)
  }
  return names
}

/** A word that tells a company. "Co. KG" and "a Delaware corporation" are of the name before. */
function isName(text: string): boolean {
  if (/^\s*(?:a|an|the|co|company|cie)\b/i.test(text)) return false
  const { tokens, formWords } = parseName(text)
  const isFormAlone = formWords.length === 0 && parseName(`x ${text}`).tokens.length === 1
  const isTelling = (word: string) => word.length > 1 && !isLightWord(word) && !familyWords.has(word)
  return !isFormAlone && tokens.some(isTelling)
}

const statesForm = (text: string): boolean => parseName(text).formClass !== null
const isIncorporated = (text: string): boolean => (parseName(text).formClass ?? 'company') !== 'company'
