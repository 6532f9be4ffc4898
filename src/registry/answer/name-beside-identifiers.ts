import type { StatedIdentifier } from '../../core/stated-identifiers.js'
import type { Action, Factor, Resolution } from '../../contract/result.js'
import { candidateOf, emptyAnswer } from './answer.js'
import type { FoundIdentifier } from './decide-identified.js'
import { primaryOf } from './entity-record.js'
import { limitation } from './factors.js'
import {
  checkIdentifier,
  disagreeingConfidence,
  labelOf,
  missingFactor,
  wrongFactor,
} from './identified-answer.js'
import type { AskedName } from './name-judge.js'
import { answerFor, matchName, type NameMatch, type ResolveDeps } from './resolve.js'
import type { StoredLegalEntity } from '../store/reader.js'

interface AskedInVain extends AskedName {
  /** Identifiers of companies of other names: websites, and those that do not say of which register they are. */
  readonly found: readonly FoundIdentifier[]
  readonly missing: readonly StatedIdentifier[]
  readonly wrong: readonly string[]
}

/**
 * Answers a query whose identifiers lead to nobody by its name alone, never surer than the name is, and less sure where
 * they are another company's; without a name, nothing is found.
 */
export function answerByName(asked: AskedInVain, nameMatch: () => NameMatch, deps: ResolveDeps): Resolution {
  const identifiers = [...asked.found.map(({ identifier }) => identifier), ...asked.missing]
  if (asked.name === null) return wholeTextAnswer(asked, deps) ?? noHolderAnswer(identifiers, asked.wrong)
  const match = nameMatch()
  const factors = [
    ...asked.found.map((one) => otherNameFactor(one, deps)),
    ...asked.missing.map((one) => missingFactor(one, 'medium')),
    ...asked.wrong.map((reason) => wrongFactor(reason, 'medium')),
  ]
  const answer = answerFor(match, deps)
  const beside: Resolution = {
    ...answer,
    match_confidence:
      asked.found.length === 0
        ? answer.match_confidence
        : Math.min(answer.match_confidence, contradictedConfidence),
    factors: [...answer.factors, ...factors],
    actions: [...answer.actions, checkIdentifier],
  }
  if (match.decision.kind === 'none') return beside
  const { entityNumber, legalEntityNumber } = match.decision.best.evidence.comparison.candidate
  const registrations = deps.reader.entityByNumber(entityNumber)?.legalEntities ?? []
  const registration = registrations.find(({ number }) => number === legalEntityNumber)
  const other = otherIdentifier(asked.missing, registrations)
  return registration === undefined || other === null ? beside : namesakeAnswer(beside, registration, other)
}

/** An identifier that is another company's lets doubt the name, however well it fits. */
const contradictedConfidence = 90

/** "BIC Holdings" has the form of an identifier, and may be a name all the same. */
function wholeTextAnswer({ query, wrong }: AskedInVain, deps: ResolveDeps): Resolution | null {
  if (wrong.length > 0) return null
  const match = matchName(query, deps)
  const isName =
    match.decision.kind === 'entity' && match.decision.best.evidence.comparison.matchType === 'exact'
  return isName ? answerFor(match, deps) : null
}

function otherNameFactor(
  { identifier, entityNumbers: [first], isSure }: FoundIdentifier,
  { reader }: ResolveDeps,
): Factor {
  const stored = first === undefined ? null : reader.outlineByNumber(first)
  const name = stored === null ? 'another name' : `"${primaryOf(stored).legalName}"`
  const unplaced = isSure ? '' : ', of which no register or exchange is stated,'
  const text = `${labelOf(identifier)}${unplaced} is that of ${name}.`
  return limitation('identifier_name_mismatch', text, 'medium')
}

/** Identifiers of which a company has one at a time. */
const uniqueKinds: ReadonlySet<StatedIdentifier['kind']> = new Set(['lei', 'cik', 'registration_id'])

interface OtherIdentifier {
  readonly asked: StatedIdentifier
  readonly own: string
}

/** The identifier that a company has in place of one that was asked for, of the same kind and the same place. */
function otherIdentifier(
  missing: readonly StatedIdentifier[],
  registrations: readonly StoredLegalEntity[],
): OtherIdentifier | null {
  for (const asked of missing) {
    if (!uniqueKinds.has(asked.kind)) continue
    const place = asked.place?.toLowerCase().replace('-', '_') ?? null
    if (asked.kind === 'registration_id' && place === null) continue
    const own = registrations
      .flatMap(({ identifiers }) => identifiers)
      .find(({ type, jurisdiction }) => type === asked.kind && (place === null || jurisdiction === place))
    if (own !== undefined) return { asked, own: own.value }
  }
  return null
}

/** The company that the name alone leads to bears another identifier of that kind: it may be a namesake. */
function namesakeAnswer(
  answer: Resolution,
  registration: StoredLegalEntity,
  { asked, own }: OtherIdentifier,
): Resolution {
  const text = `"${registration.legalName}" bears ${labelOf({ ...asked, value: own })}, not ${labelOf(asked)}.`
  return {
    ...answer,
    status: 'inconclusive',
    match_confidence: Math.min(answer.match_confidence, disagreeingConfidence),
    entity: null,
    candidate: candidateOf(registration),
    factors: [...answer.factors, limitation('identifier_mismatch', text, 'high')],
    basis: [],
  }
}

const giveName: Action = {
  code: 'provide_full_legal_name',
  description: 'Give the full legal name as registered.',
}

/** Nothing in the registry bears the identifiers, or they are none, and no name is given. */
function noHolderAnswer(identifiers: readonly StatedIdentifier[], wrong: readonly string[]): Resolution {
  return {
    ...emptyAnswer(identifiers.length === 0 ? 'not_found' : 'no_match'),
    factors: [
      ...identifiers.map((identifier) => missingFactor(identifier, 'high')),
      ...wrong.map((reason) => wrongFactor(reason, 'high')),
    ],
    actions: [checkIdentifier, giveName],
  }
}
