import { foldText } from '../../core/lookup-identity.js'
import { at, toInteger, toList, toObject, toText } from '../../core/json.js'
import { candidatesMax, type Candidate, type EvidencePart } from './decision.js'

/** A truncated URL would lead to another page. */
const urlCharsMax = 2_000
const candidateTextLimits = { charsMax: 500, factorsMax: 20, identifiersMax: 20 } as const

const text = (value: unknown, ...keys: string[]): string | null => {
  const found = toText(at(value, ...keys), candidateTextLimits.charsMax)
  return found === null || found.trim() === '' ? null : found
}

/**
 * Returns the company in an answer, confirmed or not, as a candidate of a stored run (interface: "v3 job result"); null
 * if none. An unconfirmed company has no id, so it cannot be accepted.
 */
export function toAnswerCandidate(body: unknown): Candidate | null {
  const data = at(body, 'data')
  const entity = toObject(at(data, 'entity'))
  const guess = toObject(at(data, 'candidate'))
  if (entity === null && guess === null) return null
  return {
    ...(entity === null ? toUnconfirmedCompany(guess) : toConfirmedCompany(entity)),
    ...toAnswerMembers(data),
  }
}

/** Returns the company of a record (interface: "v3 entity record", its envelope); null if it has no id. */
export function toRecordCandidate(body: unknown): Candidate | null {
  const entity = toObject(at(body, 'entity'))
  const company = entity === null ? null : toConfirmedCompany(entity)
  if (company === null || company.entityId === null) return null
  return { ...company, otherNames: [], confidence: null, evidence: [], url: null }
}

type AnswerMembers = Pick<Candidate, 'confidence' | 'evidence' | 'url' | 'otherNames'>

function toConfirmedCompany(entity: unknown): Omit<Candidate, keyof AnswerMembers> {
  const address = at(entity, 'headquarters', 'address')
  const parts = ['city', 'state', 'country'].map((part) => text(address, part))
  const line = parts.filter((part) => part !== null).join(', ')
  return {
    entityId: text(entity, 'id'),
    legalEntityId: text(entity, 'primary_legal_entity', 'id'),
    name: text(entity, 'display_name'),
    legalName: text(entity, 'legal_name'),
    status: text(entity, 'status'),
    place: text(address, 'formatted_address') ?? (line === '' ? null : line),
    countryCode: text(address, 'country_code') ?? text(entity, 'primary_legal_entity', 'country_code'),
    jurisdiction: text(entity, 'primary_legal_entity', 'jurisdiction'),
    identifiers: toList(at(entity, 'identifiers'))
      .slice(0, candidateTextLimits.identifiersMax)
      .flatMap((identifier) => {
        const [type, value] = [text(identifier, 'type'), text(identifier, 'value')]
        return type === null || value === null ? [] : [{ type, value }]
      }),
  }
}

function toUnconfirmedCompany(candidate: unknown): Omit<Candidate, keyof AnswerMembers> {
  return {
    entityId: null,
    legalEntityId: null,
    name: text(candidate, 'name'),
    legalName: text(candidate, 'legal_name'),
    status: text(candidate, 'status'),
    place: text(candidate, 'primary_address', 'full_address'),
    countryCode: text(candidate, 'primary_address', 'country_code'),
    jurisdiction: text(candidate, 'jurisdiction'),
    identifiers: [],
  }
}

function toAnswerMembers(data: unknown): AnswerMembers {
  // Domain results use another name.
  const confidence = toInteger(at(data, 'match_confidence') ?? at(data, 'confidence'))
  return {
    otherNames: [],
    confidence: confidence === null ? null : Math.max(0, Math.min(100, confidence)),
    evidence: toList(at(data, 'factors')).slice(0, candidateTextLimits.factorsMax).flatMap(toEvidence),
    url: findRegisterUrl(data),
  }
}

const labels: Readonly<Record<string, string>> = { strength: 'for it', limitation: 'against it' }

/** A factor has a direction, but no weight. */
function toEvidence(factor: unknown): EvidencePart[] {
  const said = text(factor, 'description') ?? text(factor, 'code')?.replaceAll('_', ' ') ?? null
  const type = text(factor, 'type') ?? ''
  return said === null ? [] : [{ label: labels[type] ?? 'factor', text: said, weight: null }]
}

const registryTier = 1

/** Returns the first government register page cited in the basis. */
function findRegisterUrl(data: unknown): string | null {
  return findCitedRegisterUrl(toList(at(data, 'basis')).flatMap((entry) => toList(at(entry, 'citations'))))
}

/** Returns the first government register page among citations. */
function findCitedRegisterUrl(citations: readonly unknown[]): string | null {
  return findCitedPageUrl(
    citations.filter((citation) => toInteger(at(citation, 'authority_tier')) === registryTier),
  )
}

/** Returns the first web address among citations. */
function findCitedPageUrl(citations: readonly unknown[]): string | null {
  const urls = citations.flatMap((citation) => toText(at(citation, 'url')) ?? [])
  const isWebUrl = (url: string) =>
    url.length <= urlCharsMax && /^https?:\/\//i.test(url) && URL.canParse(url)
  return urls.find(isWebUrl) ?? null
}

/**
 * Returns the candidates with the answer's company first, without duplicates. Search results have few details, so the
 * answer's details and confidence replace them; matcher results stay. An unconfirmed company equals a candidate if
 * exactly one has its name and no other country.
 */
export function withAnswerFirst(answer: Candidate | null, found: readonly Candidate[]): Candidate[] {
  if (answer === null) return found.slice(0, candidatesMax)
  const same = found.filter((one) => isSameCompany(one, answer))
  const [own] = same
  if (own === undefined) return [answer, ...found].slice(0, candidatesMax)
  if (answer.entityId === null && same.length > 1) return found.slice(0, candidatesMax)
  const isRicher = answer.entityId !== null && own.confidence === null
  const first = isRicher ? { ...answer, otherNames: own.otherNames } : own
  return [first, ...found.filter((one) => one !== own)].slice(0, candidatesMax)
}

/** Returns the candidates with this company in the second place. */
export function withSecond(company: Candidate | null, found: readonly Candidate[]): readonly Candidate[] {
  if (company === null) return found
  const others = found.filter(({ entityId }) => entityId !== company.entityId)
  return [...others.slice(0, 1), company, ...others.slice(1)]
}

function isSameCompany(one: Candidate, answer: Candidate): boolean {
  if (answer.entityId !== null) return one.entityId === answer.entityId
  const isElsewhere =
    one.countryCode !== null && answer.countryCode !== null && one.countryCode !== answer.countryCode
  const names = [one.legalName, one.name].flatMap((name) => (name === null ? [] : foldText(name)))
  return (
    !isElsewhere &&
    [answer.legalName, answer.name].some((name) => name !== null && names.includes(foldText(name)))
  )
}

/** The code of a factor about a register whose newest file no longer lists the company. */
export const leftRegisterCode = 'left_register'

/** Returns the sentences about registers that no longer list the company. */
export function listLeftRegisters(factors: readonly unknown[]): string[] {
  return factors.flatMap((factor) =>
    at(factor, 'code') === leftRegisterCode ? (toText(at(factor, 'description')) ?? []) : [],
  )
}

/** Returns the page that states the legal name, preferably a register; else the first register page in the basis. */
export function findSourceUrl(basis: readonly unknown[]): string | null {
  const listCitations = (entry: unknown) => toList(at(entry, 'citations'))
  const ofName = basis
    .filter((entry) => /^(?:entity\.)?legal_name$/.test(toText(at(entry, 'field')) ?? ''))
    .flatMap(listCitations)
  return (
    findCitedRegisterUrl(ofName) ??
    findCitedPageUrl(ofName) ??
    findCitedRegisterUrl(basis.flatMap(listCitations))
  )
}
