import { findFormAt, getUsual, hasFronts, type FormClass, type StatedForm } from '../normalize/legal-forms.js'
import { withShortForms } from '../normalize/clean-text.js'
import { foldText, isLightWord } from '../normalize/normalize-name.js'
import type { NameKind } from '../model/registry-rows.js'
import { isSubdivision } from '../normalize/places.js'
import { boundText, parseForm, parseName, parseNewName, type ParsedName } from '../normalize/parsed-name.js'
import { isTownOfState, type Place } from './place-readings.js'
import { cutFormerName, findBodyInFront, findSharedForm } from './named-field.js'
import { isFamilyWord, unspaced } from '../normalize/unspaced-names.js'
import { removeRegistrySuffix } from '../../core/numbers/registry-suffix.js'
import { isFormAlone, isPrivateForm, listKinds, spellOutForm } from '../reference/registers.js'

/** One name of one registration. */
export interface CandidateName {
  readonly entityNumber: number
  readonly legalEntityNumber: number
  readonly sourceNumber: number
  readonly kind: NameKind
  readonly name: string
  /** The legal name of the registration that has this name, with the form of its column if the name has none. */
  readonly registeredName: string
  /** Lower case, `us_de`; `null` if not stated. */
  readonly jurisdiction: string | null
  readonly tokens: readonly string[]
  readonly coreKey: string
  readonly fullKey: string
  readonly formClass: FormClass | null
  readonly acronym: string
  /** Words for its trade are left out. */
  readonly isDescribed?: boolean
  readonly active: boolean
  /** Missing in the newest file of its source. */
  readonly removed: boolean
  /** An incorporated business: the only kind that an answer may name as `entity`. */
  readonly supported: boolean
  readonly place: Place
  readonly prominence: Prominence
}

/** Facts that only few companies have, from any registration of the company. */
interface Prominence {
  /** Tickers of its shares, in lower case, with a space between them; empty if they are not traded. */
  readonly tickers: string
  readonly hasLei: boolean
  /** A register states its industry. */
  readonly hasIndustry: boolean
}

/** The best first. `foreign`: the company's country does not know the form of the query; if that country is unknown, no country knows both forms. */
const fits = ['same', 'unknown', 'unstated_partnership', 'soft_conflict', 'foreign', 'hard_conflict'] as const
export type FormAgreement = (typeof fits)[number]

function compareForms(stated: StatedForm | null, candidate: CandidateName): FormAgreement {
  const query = stated?.formClass ?? null
  const held = query === null || query === 'company' ? candidate.formClass : getHeldForm(candidate)
  if (isForeignForm(stated, candidate)) return statesPart(stated, candidate) ? 'unknown' : 'foreign'
  if (stated === null && (held === 'partnership' || isOfBuilding(candidate))) return 'unstated_partnership'
  if (stated === null || held === null) return 'unknown'
  if (query === 'company' || held === 'company') return query === held ? 'same' : 'unknown'
  const [asked, own] = listBothKinds(stated, held, candidate)
  if (asked.some((kind) => own.includes(kind))) return 'same'
  return [asked, own].every((kinds) => kinds.some(isCorporate)) ? 'soft_conflict' : 'hard_conflict'
}

/** Whether a text has one of the forms that a name ends with: "Larkmoor Corp" of Larkmoor Corporation (Pvt.) Limited. */
const statesPart = (stated: StatedForm | null, candidate: CandidateName): boolean =>
  parseHeld(candidate).formWords.some(
    (word, _, { length }) =>
      length > 1 && stated !== null && word.startsWith(stated.words.join(' ').slice(0, 4)),
  )

const isCorporate = (kind: string) => /^(?:limited|stock|simplified|starter|public|single)$/.test(kind)

type Kinds = readonly [asked: readonly string[], own: readonly string[]]

/** The classes of both forms, or what the company's country makes of them; partnerships by the liability of their partners. */
function listBothKinds(stated: StatedForm, held: FormClass, candidate: CandidateName): Kinds {
  const country = getCountry(candidate)
  const list = (words: readonly string[], ofForm: FormClass, legalForm: string | null) =>
    listKinds(country, words) ??
    (ofForm !== 'partnership' ? [ofForm] : legalForm === null ? ['gp', 'lp', 'llp'] : [legalForm])
  const { formWords, legalForm } = parseHeld(candidate)
  return [list(stated.words, stated.formClass, stated.legalForm), list(formWords, held, legalForm)]
}

/** The form of a name, if need be by the short forms of its country; a name without one ("Norvane") has that of the registered name. */
export const parseHeld = (candidate: CandidateName): HeldForm => readForms(candidate).own

type HeldForm = Pick<ParsedName, 'formWords' | 'formClass' | 'legalForm' | 'formCountries'>
/** `anywhere`: without the short forms of its country. Those are also read in a name with quotes, or with codes of them. */
type HeldForms = Readonly<Record<'anywhere' | 'own', HeldForm>>
/** Many queries have the same candidates. */
const knownForms = new WeakMap<CandidateName, HeldForms>()
function readForms(candidate: CandidateName): HeldForms {
  const known = knownForms.get(candidate)
  if (known !== undefined) return known
  const full = candidate.formClass === null ? candidate.registeredName : candidate.name
  const country = getCountry(candidate)
  const parsed = parseNewName(full)
  const isRead = withShortForms.has(country) || hasFronts(country) || /["“”„«»＂&%€]/.test(full)
  const own = isRead && country !== '' ? parseNewName(full, { town: null, country }) : parsed
  // "Fastighets Ab" is one form, and the "AS" of two countries is the same.
  const isOfOther = parsed.formCountries.length > 0 && !parsed.formCountries.includes(country)
  const isOwn = parsed.formClass === null || parsed.coreKey !== own.coreKey || isOfOther
  const forms = { anywhere: toForm(parsed), own: toForm(isOwn ? own : parsed) }
  knownForms.set(candidate, forms)
  return forms
}
const toForm = ({ formWords, formClass, legalForm, formCountries }: ParsedName): HeldForm => ({
  formWords,
  formClass,
  legalForm,
  formCountries,
})

const getCountry = ({ place }: CandidateName): string => place.countryCode || place.jurisdictionCountry

/** True for a company that owns a building and has its address as its name: "Asunto Oy Norvankatu 12". */
export const isOfBuilding = (candidate: CandidateName): boolean =>
  candidate.formClass === 'stock' &&
  listKinds(getCountry(candidate), ['asunto', 'oy']) !== null &&
  /^(?:housing|property)$/.test(String(listKinds(getCountry(candidate), parseHeld(candidate).formWords)))

/** A name without a form, or with only a word for a company, has that of the registered name. */
function getHeldForm(candidate: CandidateName): FormClass | null {
  const { formClass: own, name, registeredName: full, tokens } = candidate
  if (own === null && name !== full) return readForms(candidate).anywhere.formClass
  if (own === 'company' && name !== full) return parseForm(full).formClass ?? own
  return own ?? findBodyInFront(tokens)
}

/** "Sociedad Anónima Cerrada" is "S.A.C.", and "S.A." another form of the same kind. */
const toFormKey = (words: readonly string[]): string =>
  words.length > 1 ? words.map((word) => word.charAt(0)).join('') : (words[0] ?? '')

/** Whether a text and a name state the same form, in full or in its initials. */
export const areSameForms = (stated: StatedForm, candidate: CandidateName): boolean =>
  toFormKey(stated.words) === toFormKey(parseHeld(candidate).formWords)

/** Whether a short form that is too often a word of names states the form of a name, anywhere or in its country: the "CA" of a company with "C.A.". */
export function statesForm({ folded: word, written }: TextWord, candidate: CandidateName): boolean {
  const held = parseHeld(candidate).formWords.join(' ')
  const own = parseName(`Qq ${written}`, getCountry(candidate)).formWords.join(' ')
  if (held !== '' && own === held) return true
  const form = spellOutForm(word)
  if (!isFormAlone(word) || held === form) return isFormAlone(word)
  const isInFront = candidate.tokens[0] !== word && foldText(candidate.name).startsWith(`${word} `)
  if (listKinds(getCountry(candidate), form.split(' ')) !== null || !isEnterprise(`${form} qq`)) return false
  return isInFront || isEnterprise(candidate.registeredName)
}

/** "Ltd" and "Limited" are the same form; "Inc." and "Corp.", "AS" and "ASA" or "B.V." and "Limited" only of the same kind. */
export function areFormsAlike(stated: StatedForm | null, candidate: CandidateName): boolean {
  const held = parseHeld(candidate)
  const [one = '', other = ''] = [stated?.words[0], held.formWords[0]]
  const isAlike = one === other || (one.charAt(0) === other.charAt(0) && one.length + other.length > 5)
  return isAlike && (stated?.countries ?? []).join() === held.formCountries.join()
}

/** Only one of two forms is private, in a country where "Limited" alone is public: "Larkmoor (Pty) Ltd", "Larkmoor Limited". */
export function isOneFormPrivate(
  stated: StatedForm | null,
  { name, registeredName: full, place }: CandidateName,
): boolean {
  const countries = stated?.countries ?? []
  const isMarked = (code: string) => countries.includes(code) && !listKinds(code, ['private', 'limited'])
  if (![place.countryCode, place.jurisdictionCountry].some(isMarked)) return false
  const words = [name, full].map((one) => parseName(one).formWords).find((one) => one.length > 0) ?? []
  return words.length > 0 && words.some(isPrivateForm) !== (stated?.words ?? []).some(isPrivateForm)
}

/**
 * Companies of one group have one name with the forms of many countries. A form is not foreign if the company's country
 * knows it, since registers translate forms, or if both state it, since registers do not always know the country.
 */
function isForeignForm(stated: StatedForm | null, candidate: CandidateName): boolean {
  const { place } = candidate
  const formCountries = stated?.countries ?? []
  if (formCountries.length === 0) return false
  const usual = getUsual(formCountries)
  const isKnownIn = (country: string) => formCountries.includes(country)
  if (isKnownIn(place.countryCode)) return false
  const held = readForms(candidate).anywhere
  const heldCountries = getUsual(held.formCountries)
  const isRegisteredThere = heldCountries.length === 0 || heldCountries.includes(place.jurisdictionCountry)
  const registered = isRegisteredThere ? place.jurisdictionCountry : ''
  const ownCountries = [place.countryCode, registered].filter((code) => code !== '')
  if (ownCountries.some(isKnownIn)) return false
  if (heldCountries.length === 0) return ownCountries.length > 0
  const isSameForm = stated?.formClass === held.formClass && heldCountries.join() === usual.join()
  return !isSameForm && (ownCountries.length > 0 || !heldCountries.some((one) => usual.includes(one)))
}

/** The words from `start` to before `end` are the name. */
interface NamePlace {
  readonly start: number
  readonly end: number
  readonly pairs: readonly { readonly textAt: number; readonly textCount: number }[]
}

/** The form that fits, of those next to each other and before the name, or of a cooperative whose name begins with it: "Coop. Larkmoor Ltda". */
export function findFittingForm(
  { forms, words }: { readonly forms: readonly StatedForm[]; readonly words: readonly TextWord[] },
  alignment: NamePlace,
  candidate: CandidateName,
): { statedForm: StatedForm | null; form: FormAgreement } {
  const front = forms.length === 0 && alignment.start > 0 ? findFormInFront(words, candidate) : null
  if (front !== null) return { statedForm: front, form: 'same' }
  const compare = (form: StatedForm | null) => ({ statedForm: form, form: compareForms(form, candidate) })
  const shared = findSharedForm(forms, alignment.pairs, getHeldForm(candidate))
  if (shared !== undefined) return { statedForm: shared, form: 'hard_conflict' }
  const nearest = findStatedForm(forms, alignment)
  if (nearest === null || forms.length === 1) return compare(nearest)
  const beside = forms.filter(
    ({ at, count, formClass }) =>
      (formClass === 'cooperative' && at === alignment.start) ||
      (formClass !== 'company' &&
        [alignment.start, nearest.at, nearest.at + nearest.count + count].includes(at + count)),
  )
  const rank = ({ form }: { form: FormAgreement }) => fits.indexOf(form)
  return [nearest, ...beside].map(compare).reduce((best, one) => (rank(one) < rank(best) ? one : best))
}

/** The form behind the name, else the nearest one. */
function findStatedForm(forms: readonly StatedForm[], { start, end }: NamePlace): StatedForm | null {
  const outside = forms.filter(({ at, count }) => at >= end || at + count <= start || count === 0)
  const next = outside.find(({ at }) => at === end)
  const isTelling = (form: StatedForm) => form.formClass !== 'company'
  if (next !== undefined && isTelling(next)) return next
  return (
    outside.find((form) => form.at >= end && isTelling(form)) ??
    outside.findLast(isTelling) ??
    next ??
    outside[0] ??
    null
  )
}

type TextWord = { readonly folded: string; readonly written: string }
/** Returns the form in front of a text that is the company's in its country, as "SL" in "SL Larkmoor"; `null` if it is another. */
export function findFormInFront(words: readonly TextWord[], candidate: CandidateName): StatedForm | null {
  const folded = words.slice(0, -1).map((word) => word.folded)
  const { countryCode, jurisdictionCountry } = candidate.place
  for (let count = Math.min(4, folded.length); count > 0; count--) {
    const form = findFormAt(folded.slice(0, count), 0)
    const isKnown = [countryCode, jurisdictionCountry].some((own) => form?.countries.includes(own))
    const stated = form?.words.length === count && isKnown ? { at: 0, count, ...form } : null
    if (stated !== null && compareForms(stated, candidate) === 'same') return stated
  }
  return null
}

/** Separators of names in a list. */
const listMarks = /\s*[;|\\\u3001\u061b]\s*|\s+\/\s+|\s+\+\s+/
/** Also occur in names: separators only between two names with a legal form each. */
const joiningMarks =
  /\s*\/\s*|\s+(?:&|and|und|et|y|e|i|dhe|ve|və|va|oraz|og|och|ja|un|ir|és|[sșş]i|en|και|и|і|та|және|და|և|եւ)\s+|\s+[-\u2013\u2014]+\s+|\s*[,\u060c]\s*/i
/** Stand between two names, and between the words of one. */
const innerMarks = /\s*[\u30fb\u00b7]\s*|\s+/g
const roleMarks =
  /\b(?:d\/?b\/?a|t\/a|c\/o|f\/?k\/?a|a\/?k\/?a|n\/?k\/?a|o\/b\/o|trading as|trades as|doing business as|operating as|formerly|previously|fost(?:[aă]|ul)?\s+|denumit[aă] anterior|on behalf of|for and on behalf|care of|known as)\b/i
interface SeveralNames {
  readonly names: readonly string[]
  /** Each name has a legal form; otherwise the text may still be one name. */
  readonly areStated: boolean
}

/** Splits a text with several companies, such as "Norvane Inc. / Larkmoor Ltd"; `null` for one name. */
export function parseSeveralNames(name: string): SeveralNames | null {
  const text = removeRegistrySuffix(boundText(cutFormerName(name)))
  if (roleMarks.test(text)) return null
  const listed = splitParts(text, listMarks).filter((part, at, all) => !isTown(part, all[at - 1]))
  if (listed.length > 1) return { names: listed, areStated: listed.filter(hasForm).length > 1 }
  // "Ernst" and "Young LLP" are one name. A part without a form is a town behind a comma, and a name behind "and".
  const parts = splitParts(text, joiningMarks, hasForm)
  const named = parts.filter((part, at) => !isTown(part, parts[at - 1]))
  const end = named.findLastIndex(hasForm) + 1
  const isListed = (part: string) => /[,،]\s*$/.test(text.slice(0, text.lastIndexOf(part)))
  const joined = named.slice(end).every(isListed) ? named.slice(0, end) : named
  if (joined.length > 1 && joined.every(hasForm) && joined.some(isIncorporated))
    return { names: joined, areStated: true }
  const apart = unspaced.test(text) ? splitBetweenForms(text.trim()) : []
  return apart.length > 1 && apart.some(isIncorporated) ? { names: apart, areStated: true } : null
}

/** A form at the end may be a country or a state that knows the form of the name before: "Norvane Inc., Kelmor, CA", "Norvane Inc. - Denver CO". */
function isTown(part: string, before = ''): boolean {
  const [, town = '', mark = '', code = ''] = /^(.+?)(,\s*|\s+)([A-Z]{2})\b[\s\d-]*$/s.exec(part) ?? []
  const isThere = (country: string) =>
    code === country ||
    (/US|CA|AU|BR/.test(country) && ['US', 'CA', country].some((one) => isSubdivision(`${one}-${code}`)))
  if (town === '' || hasForm(town) || !(mark.startsWith(',') || isTownOfState(town, code))) return false
  return parseForm(before).formCountries.some(isThere)
}

/** Divides names of a script without spaces where each side has a name and a form. */
function splitBetweenForms(text: string): string[] {
  for (const { index, 0: mark } of text.matchAll(innerMarks)) {
    const [first, rest] = [text.slice(0, index), text.slice(index + mark.length)]
    if ([first, rest].every((part) => hasForm(part) && isName(part)))
      return [first, ...splitBetweenForms(rest)]
  }
  return [text]
}

/** A part that is not a name belongs to the previous one: "Norvane, Inc.", "Norvane GmbH & Co. KG". So do those up to one that is whole. */
function splitParts(text: string, marks: RegExp, isWhole?: (part: string) => boolean): string[] {
  const parts: string[] = []
  let mark = ''
  // The capturing group returns the separators at odd positions.
  for (const [at, piece] of text.split(new RegExp(`(${marks.source})`, marks.flags)).entries()) {
    if (at % 2 === 1) mark = piece
    else if (parts.length > 0 && !(isName(piece) && (isWhole?.(parts.at(-1) ?? '') ?? true)))
      parts.push(`${parts.pop() ?? ''}${mark}${piece}`)
    else parts.push(piece)
  }
  return parts.map((part) => part.trim())
}

/** True for a text with a distinctive word. "Co. KG" and "a Delaware corporation" belong to the previous name. */
function isName(text: string): boolean {
  if (/^\s*(?:a|an|the|co|company|cie)\b/i.test(text)) return false
  const { tokens, formWords } = parseName(text)
  const isFormAlone = formWords.length === 0 && parseName(`x ${text}`).tokens.length === 1
  return (
    !isFormAlone && tokens.some((one) => one.length > 1 && !isLightWord(one) && !isFamilyWord(one, false))
  )
}

const isEnterprise = (text: string): boolean => parseForm(text).formClass === 'enterprise'
const hasForm = (text: string): boolean => parseName(text).formClass !== null
const isIncorporated = (text: string): boolean => ![null, 'company'].includes(parseName(text).formClass)
