import { formatCount, quoteName } from '../../core/text.js'
import { assertNever } from '../../core/errors.js'
import { matchedConfidenceMin, type Action, type Factor } from '../../contract/result.js'
import { countOmittedIdentifiers } from './entity-record.js'
import { formatEnd } from './basis.js'
import { describeRemoval, formatAddress } from './registration-facts.js'
import { listReasons, type Impact, type Match } from './reasons.js'
import { isOwnCountryLeft } from '../match/evidence.js'
import { isPartOfLongerName } from '../match/model.js'
import type { NameComparison } from '../match/compare-names.js'
import type { LeftWord } from '../match/left-words.js'
import type { QueryText, TextWord } from '../match/query-text.js'
import { findNativeWords } from '../normalize/native-scripts.js'
import type { WordClass } from '../match/word-classes.js'
import { classifyFundOrTrust, isNonprofitForm } from '../normalize/parsed-name.js'
import { formatJurisdiction } from '../normalize/places.js'
import type { CandidateName } from '../match/candidate.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'
import type { LeftRegister } from '../store/registration-columns.js'

/** A description may begin with a label, like "company number GB 00445790". */
const createFactor =
  (type: Factor['type']) =>
  (code: string, description: string, impact: Impact): Factor => ({
    code,
    type,
    description: description.charAt(0).toUpperCase() + description.slice(1),
    impact,
  })
export const createStrength = createFactor('strength')
export const createLimitation = createFactor('limitation')

/**
 * Describes the evidence for and against a match in sentences. `findRegistration` returns the registration of another
 * company; `null` if it is unknown.
 */
export function buildFactors(
  match: Match,
  stored: StoredEntity,
  registration: StoredLegalEntity,
  findRegistration: FindRegistration,
): Factor[] {
  const own = [...listReasons(match, registration), ...listCountryFactors(match)]
  const rivals = listRivalFactors(match, registration, findRegistration)
  const reasons = [
    createNameFactor(match.best.evidence.comparison, registration),
    // That the text names several companies tells more than how well it fits one of them.
    ...(match.names === undefined ? [...own, ...rivals] : [...rivals, ...own]),
  ]
  const isContested = reasons.some(({ code }) => code === 'no_legal_entity_confirmed')
  const { supported } = match.best.evidence.comparison.candidate
  const factors = [...(supported ? [] : [createUnsupportedFactor(registration)]), ...reasons]
  if (match.kind === 'entity' && !isContested) {
    const isName = match.best.evidence.comparison.matchType === 'exact'
    const of = isName ? 'A registration with the name' : 'The registration that fits'
    factors.push(...listConfirmations(registration, (where) => `${of} is in ${where}.`))
  }
  const sources = new Set(stored.legalEntities.map(({ sourceName }) => sourceName))
  if (sources.size > 1 || match.best.alike.length > 0)
    factors.push(
      createStrength('multiple_sources_corroboration', describeCorroboration(match, sources.size), 'medium'),
    )
  factors.push(...listEndFactors(stored, registration))
  if (match.kind === 'entity') factors.push(...listOmissionFactors(stored))
  return factors
}

/** Returns a factor about a current registration in a named place; none if the register states no jurisdiction. */
export function listConfirmations(
  { jurisdiction, removedFromSource }: StoredLegalEntity,
  describe: (place: string) => string,
): Factor[] {
  if (jurisdiction === null || removedFromSource) return []
  return [createStrength('legal_entity_confirmed', describe(formatJurisdiction(jurisdiction)), 'high')]
}

function describeCorroboration({ best }: Match, sourceCount: number): string {
  const [twin] = best.alike
  return sourceCount > 1 || twin === undefined
    ? 'More than one register knows the company.'
    : `${quoteName(twin.name)} in another register is most likely the same company.`
}

/** Number of rivals in a sentence. */
const rivalsNamedMax = 3
/** Least probability of "no match" that is mentioned. */
const noneShareMin = 0.15

function listCountryFactors({ best }: Match): Factor[] {
  const text = 'The name has the country of the company: another company of its group may be meant.'
  return isOwnCountryLeft(best.evidence) ? [createLimitation('name_close_match', text, 'high')] : []
}

export const describeNames = (names: readonly string[]): string =>
  `The text names ${names.length} companies: ${names.map(quoteName).join(', ')}.`

type FindRegistration = (candidate: CandidateName) => StoredLegalEntity | null

function listRivalFactors(
  { best, rivals, noneShare, confidence, names }: Match,
  { legalName: ownName }: StoredLegalEntity,
  findRegistration: FindRegistration,
): Factor[] {
  if (names !== undefined)
    return [createLimitation('no_legal_entity_confirmed', describeNames(names), 'high')]
  const factors: Factor[] = []
  const isCertain = confidence >= matchedConfidenceMin
  if (rivals.length > 0) {
    // Companies with one short name differ by their registered names, and those with one registered name by their addresses.
    const described = rivals.slice(0, rivalsNamedMax).map(({ evidence }) => {
      const { candidate } = evidence.comparison
      const rival = findRegistration(candidate)
      const line = rival?.legalName === ownName ? formatAddress(rival.address) : null
      return quoteName(rival?.legalName ?? candidate.name) + (line === null ? '' : ` at ${line}`)
    })
    const others = [...new Set(described)].join(', ') + (rivals.length > rivalsNamedMax ? ' and more' : '')
    const text = `Other companies may be meant: ${others}.`
    factors.push(createLimitation('name_too_generic', text, isCertain ? 'low' : 'high'))
  }
  if (isCertain || noneShare < noneShareMin) return factors
  const rest = isPartOfLongerName(best.evidence.comparison) ? describeRest(best.evidence.comparison) : null
  const more = rest === null ? 'this name' : rest.replace(/^without/, 'the name with')
  const text = `Another company may have ${more}: the registry does not hold all companies.`
  const impact = noneShare >= 0.5 ? 'high' : 'medium'
  return [...factors, createLimitation('no_legal_entity_confirmed', text, impact)]
}

/** Describes which name of the registration the text matches. */
export function createNameFactor(comparison: NameComparison, registration: StoredLegalEntity): Factor {
  const { matchType, candidate } = comparison
  const kind = {
    legal: 'registered name',
    other: 'other name',
    former: describeFormerName(registration, candidate.name),
  }[candidate.kind]
  const text = `The ${describeName(comparison)}, ${kind}`.replace(/\.?$/, '.')
  return {
    ...createStrength('name_close_match', text, matchType === 'exact' ? 'high' : 'medium'),
    matched_name: { name: candidate.name, kind: candidate.kind },
  }
}

/** Describes the match of the text: `name, without "Plant 9", is the beginning of "Larkmoor Ltd"`. */
export function describeName(comparison: NameComparison): string {
  const { matchType, candidate, text } = comparison
  const rest = describeRest(comparison)
  const script = sharesScript(text.native, candidate.name) ? null : text.how
  const misread = text.how === null ? text.words.find(({ isRepaired }) => isRepaired) : undefined
  const scan = misread === undefined ? null : `with "${misread.written}" read as "${misread.folded}"`
  const how = [script, scan, rest].filter((part) => part !== null).join(' and ')
  return `${how === '' ? 'name' : `name, ${how},`} ${describeRelation(matchType)} ${quoteName(candidate.name)}`
}
const scripts = ['Cyrl', 'Grek', 'Hang', 'Han}\\p{sc=Hira}\\p{sc=Kana', 'Geor', 'Armn'].map(
  (script) => new RegExp(`[\\p{sc=${script}}]`, 'u'),
)
const sharesScript = (...texts: string[]) => scripts.some((one) => texts.every((text) => one.test(text)))

/** Pieces of the text in a sentence. */
const piecesNamedMax = 2

/** Words that are not quoted at the edge of a piece: joining words, legal forms, "d/b/a", "c/o", "www". */
const unquotedClasses: ReadonlySet<WordClass> = new Set(['stop', 'form', 'mark', 'host', 'agent', 'web'])

/** Quotes the words of the text that the name lacks: `without "Accounts Payable"`; `null` without any. */
function describeRest({ left, matchType, candidate, text }: NameComparison): string | null {
  const runs: LeftWord[][] = []
  for (const one of text.fullKey === candidate.fullKey ? [] : left) {
    if (matchType === 'acronym' && one.word.text === candidate.acronym) continue
    if (/^(?:host|agent)$/.test(one.word.wordClass)) continue
    const run = runs.at(-1)
    if (run?.at(-1)?.at === one.at - 1) run.push(one)
    else runs.push([one])
  }
  const pieces = runs.map((run) => cutEdges(run, text)).filter((run) => run.length > 0)
  const quoted = pieces.flatMap((run) => quoteAsWritten(run, text) ?? []).map((one) => quoteName(one))
  if (text.around !== '' && !candidate.name.includes(text.around)) quoted.push(quoteName(text.around))
  if (quoted.length === 0) return null
  const named = quoted.slice(0, piecesNamedMax)
  return `without ${quoted.length > piecesNamedMax ? `${named.join(', ')} and more` : named.join(' and ')}`
}

/** In "(Pvt) Ltd", what follows the word is of the form too, or the end of the bracket. */
const isFormEnd = (next: TextWord | undefined) => next?.wordClass === 'form' || next?.separator.includes(')')

/** A remark stays whole: "- DO NOT CALL" begins with a joining word, "(não ligar)" with a form, each of another language. */
function cutEdges(run: readonly LeftWord[], { words }: QueryText): TextWord[] {
  const isApart = (at: number) => words[at]?.isApart ?? false
  // In "Inc - DO NOT CALL" the remark begins after the form.
  const remarkFrom = isApart((run.at(-1)?.at ?? 0) + 1)
    ? 0
    : (run.find(({ at }) => isApart(at))?.at ?? Infinity)
  const isTelling = ({ word: { wordClass } }: LeftWord) => !unquotedClasses.has(wordClass)
  const isQuoted = (one: LeftWord) =>
    isTelling(one) ||
    (one.at >= remarkFrom && one.word.wordClass === 'stop') ||
    (one.word.wordClass === 'form' && /[-(]/.test(one.word.separator) && !isFormEnd(words[one.at + 1]))
  if (!run.some(isTelling)) return []
  return run.slice(run.findIndex(isQuoted), run.findLastIndex(isQuoted) + 1).map(({ word }) => word)
}

/** Quotes words with the signs between them, "Don't call"; without signs if the text was changed before it was read. `null` for words of a reading in Latin letters that the text itself does not have. */
function quoteAsWritten(words: readonly TextWord[], { given, native, how }: QueryText): string | null {
  const spaced = words
    .map(({ written, isJoined }, at) => (at === 0 || isJoined ? written : ` ${written}`))
    .join('')
  const letters = Array.from(spaced.replace(/\s/g, ''), (letter) =>
    letter.replace(/[$*+./?\\^|()[\]{}]/, '\\$&'),
  )
  const pattern = String.raw`(?<![\p{L}\p{N}])${letters.join("[\\s'’‘`´.,&/-]{0,3}")}(?![\p{L}\p{N}])`
  const isLatin = !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(native)
  const found = isLatin ? null : findNativeWords(words, native)
  return found ?? (!isLatin && how !== null ? null : (new RegExp(pattern, 'u').exec(given)?.[0] ?? spaced))
}

/** Describes a former name, when it ended, and the source of that. */
export function describeFormerName({ legalName, names }: StoredLegalEntity, name: string): string {
  const found = names.find((entry) => entry.kind === 'former' && entry.name === name)
  return `former name of ${legalName}${found === undefined ? '' : formatEnd(found)}`
}

function describeRelation(matchType: NameComparison['matchType']): string {
  switch (matchType) {
    case 'exact':
      return 'is that of'
    case 'completed':
    case 'prefix':
      return 'is the beginning of'
    case 'acronym':
      return 'is made of the initials of'
    case 'near':
      return 'is close to'
    default:
      return assertNever(matchType)
  }
}

/** Returns a factor if the registration has ended, and one for each register that no longer lists the company. */
export function listEndFactors(stored: StoredEntity, registration: StoredLegalEntity): Factor[] {
  const left = listLeftRegisters(stored).map(({ left: one, of }) =>
    createLimitation('left_register', describeRemoval(of, one), 'medium'),
  )
  if (registration.removedFromSource) return left.length > 0 ? left : [createRemovedFactor(registration)]
  return registration.status === null || registration.status === 'active'
    ? left
    : [createInactiveFactor(registration), ...left]
}

/** Registers that named a registration of the company, and name none now. */
function listLeftRegisters({ legalEntities }: StoredEntity): { left: LeftRegister; of: StoredLegalEntity }[] {
  const memberships = legalEntities.map((of) => ({ of, ...of.readMembership() }))
  if (memberships.every(({ left }) => left.length === 0)) return []
  const present = new Set(memberships.flatMap(({ listPresent }) => listPresent()))
  const found = new Map<string, { left: LeftRegister; of: StoredLegalEntity }>()
  for (const { of, left: all } of memberships)
    for (const left of all) {
      const known = found.get(left.register)?.left
      if (!present.has(left.register) && (known === undefined || known.lastOn < left.lastOn))
        found.set(left.register, { left, of })
    }
  return [...found.values()]
}

/** An ended registration is still confirmed as a legal entity. */
export function createInactiveFactor({ status }: StoredLegalEntity): Factor {
  return createLimitation(
    'legal_entity_inactive',
    `The registration is not active${status === null || status === 'inactive' ? '' : ` (${status})`}.`,
    'medium',
  )
}

/** Mentions identifiers that are not shown: a bank may have thousands of BICs. */
export function listOmissionFactors(stored: StoredEntity): Factor[] {
  const count = countOmittedIdentifiers(stored)
  if (count === 0) return []
  const text = `Registers list ${formatCount(count)} more identifiers of the company than are shown.`
  return [createLimitation('identifiers_truncated', text, 'low')]
}

/** Only registrations of this type can be an answer; others stay candidates. */
export const isSupportedKind = ({ type, subtype }: StoredLegalEntity): boolean =>
  type === 'business' && subtype === 'incorporated_entity'

/** Explains why a registration cannot be the answer; the first factor, whatever the confidence. */
export const createUnsupportedFactor = (registration: StoredLegalEntity): Factor =>
  createLimitation('unsupported_entity_type', describeUnsupported(registration), 'high')

/** Returns the sentence for a body that is not given as an answer: `"Larkmoor Fund" is a fund, not a company: …` */
export function describeUnsupported(registration: StoredLegalEntity): string {
  const { type, subtype, legalName } = registration
  const form = classifyFundOrTrust(registration)
  const kind =
    form === null
      ? `${subtypeWords[subtype] ?? typeWords[type] ?? 'of another kind'}${describeStatedForm(registration)}`
      : `a ${form}`
  return `${quoteName(legalName)} is ${kind}, not a company: only companies are given as an answer.`
}

/** Returns ` (registered as "sole proprietorship")`, if the register names a form that tells the kind. */
function describeStatedForm({ type, legalForm, listedForm }: StoredLegalEntity): string {
  const isCode = legalForm !== null && /^[A-Z0-9]{4}$/.test(legalForm)
  const stated = isCode ? listedForm.at(-1) : legalForm?.replaceAll('_', ' ')
  const isOther = type === 'nonprofit' && !isCode && !isNonprofitForm(stated ?? '')
  return stated === undefined || stated === '' || isOther ? '' : ` (registered as "${stated}")`
}

const typeWords: Readonly<Partial<Record<string, string>>> = {
  nonprofit: 'a nonprofit body',
  government: 'a government body',
  person: 'a natural person',
}
const subtypeWords: Readonly<Partial<Record<string, string>>> = {
  unincorporated_entity: 'an unincorporated body',
  nonprofit_entity: 'a nonprofit body',
  government_entity: 'a government body',
  natural_person: 'a natural person',
  complex_business_structure: 'a fund, trust or other structure',
  trading_name_only: 'a trading name',
}

/** A register in parts of which not all are as new: it may be in another part. */
const createRemovedFactor = (registration: StoredLegalEntity): Factor =>
  createLimitation('no_legal_entity_confirmed', describeRemoval(registration), 'medium')

/** `isTownGiven`: the row has a town or a postal code, which may be wrong. */
export function listActions(match: Match, registration: StoredLegalEntity, isTownGiven: boolean): Action[] {
  if (match.names !== undefined)
    return [{ code: 'provide_full_legal_name', description: 'Ask for one company in each row.' }]
  const actions: Action[] = []
  const { comparison, place } = match.best.evidence
  const isCertain = match.confidence >= matchedConfidenceMin
  if (!isCertain && comparison.matchType !== 'exact') {
    const [spelling, full] = ['Check the spelling of the name.', 'Give the full legal name as registered.']
    const description = comparison.isFormStated ? spelling : full
    actions.push({ code: 'provide_full_legal_name', description })
  }
  if (!isCertain && place !== 'postal' && place !== 'city') {
    const what = isTownGiven
      ? 'Check the place of the company.'
      : 'Give the city or the postal code of the company.'
    actions.push({ code: 'verify_address', description: what })
  }
  if (!isCertain && match.rivals.length > 0)
    actions.push({ code: 'add_industry_context', description: 'Say in the context what the company does.' })
  if (!comparison.candidate.supported) {
    const description = `Check that a ${registration.type} body is what was meant.`
    actions.push({ code: 'verify_entity_type', description })
  }
  return actions
}
