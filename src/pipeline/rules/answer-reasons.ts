import { at, listOf, textOf } from '../../core/lenient.js'
import { pageUrlAmong, registerUrlAmong } from './answer-candidate.js'

/** `legal`: registered; `former`: registered before; `other`: in use, or written in another way, as a register lists it. */
type MatchedNameKind = 'legal' | 'former' | 'other'

interface MatchedName {
  readonly name: string
  readonly kind: MatchedNameKind
}

/** How a sentence goes on behind the name: the embedded service writes it (`nameFactor` of the registry). */
const kindsByEnd = [
  ['", registered name.', 'legal'],
  ['", other name.', 'other'],
] as const
const formerMark = '", former name of '

/**
 * The company's name that the text asked for matched. An answer has no field for it (interface: "v3 job result"): it is
 * read from the factor in which the embedded service quotes it, and null for services that say it in other words.
 */
export function matchedNameIn(factors: readonly unknown[]): MatchedName | null {
  for (const factor of factors) {
    if (at(factor, 'code') !== 'name_close_match') continue
    const found = readNameSentence(textOf(at(factor, 'description')) ?? '')
    if (found !== null) return found
  }
  return null
}

/** Reads `The name, without the site, is that of "Larkmoor Ltd", former name of Brackwell Ltd since 2026-05-01 (gleif).` */
function readNameSentence(sentence: string): MatchedName | null {
  const start = /^The name[^"]* "/.exec(sentence)?.[0].length
  if (start === undefined) return null
  const quoted = (end: number, kind: MatchedNameKind): MatchedName | null =>
    end > start ? { name: sentence.slice(start, end), kind } : null
  for (const [end, kind] of kindsByEnd)
    if (sentence.endsWith(end)) return quoted(sentence.length - end.length, kind)
  return quoted(sentence.indexOf(formerMark, start), 'former')
}

const impacts = ['low', 'medium', 'high']
const impactOf = (factor: unknown): number => impacts.indexOf(wordOf(at(factor, 'impact')))

/** That a registration was found is no reason why it is the one. */
const outcomeCode = 'legal_entity_confirmed'

/**
 * The strongest factor as the service words it: of a match what speaks for it, of any other answer what speaks against
 * it. The first one of equal impact.
 */
export function reasonIn(factors: readonly unknown[], status: string): string | null {
  const said = factors.filter((factor) => (textOf(at(factor, 'description')) ?? '').trim() !== '')
  const strengths = said.filter((factor) => wordOf(at(factor, 'type')) === 'strength')
  const reasons = strengths.filter((factor) => at(factor, 'code') !== outcomeCode)
  const limitations = said.filter((factor) => wordOf(at(factor, 'type')) === 'limitation')
  const isFound = ['matched', 'merged'].includes(wordOf(status))
  const groups = isFound ? [reasons, strengths, limitations] : [limitations, reasons, strengths]
  const group = [...groups, said].find(({ length }) => length > 0) ?? []
  const most = Math.max(...group.map(impactOf))
  const strongest = group.find((factor) => impactOf(factor) === most)
  // A sentence that ends with "Inc." has one full stop.
  return textOf(at(strongest, 'description'))?.replace(/(?<!\.)\.\.$/, '.') ?? null
}

/** The page that states the legal name, of a register first; else the first record of a register that a basis cites. */
export function sourceUrlIn(basis: readonly unknown[]): string | null {
  const citationsIn = (entry: unknown) => listOf(at(entry, 'citations'))
  const ofName = basis
    .filter((entry) => /^(?:entity\.)?legal_name$/.test(textOf(at(entry, 'field')) ?? ''))
    .flatMap(citationsIn)
  return registerUrlAmong(ofName) ?? pageUrlAmong(ofName) ?? registerUrlAmong(basis.flatMap(citationsIn))
}

const wordOf = (value: unknown): string => (textOf(value) ?? '').trim().toLowerCase()
