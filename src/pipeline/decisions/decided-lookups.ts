import { existsSync } from 'node:fs'
import { getReviewStorePath } from '../checkpoint/open.js'
import type { KeyedLookup, CheckpointReader } from '../checkpoint/lookup.js'
import type { LookupId } from '../../core/lookup-identity.js'
import type { Decision, Candidate } from '../../core/decisions.js'
import type { DecidedLookup, DecidedRows } from '../answers/stage-questions.js'
import type { DecisionsRequest } from './decision-sync.js'
import { openReviewStoreToRead, type ReviewCandidates } from './review-store.js'
import type { RowCandidates, ReviewData } from '../answers/decided-answer.js'
import type { OutputColumn } from '../answers/columns.js'
import { isDoubtfulLine } from '../answers/answer-line.js'
import type { ReviewColumnName } from '../answers/column-kinds.js'

/** Decisions about the lookups of rows; filled while rows are read. */
export class DecidedLookups implements DecidedRows {
  readonly #byLookup: ReadonlyMap<string, Decision>
  readonly #byId = new Map<LookupId, DecidedLookup>()
  readonly #byCompany = new Map<string, DecidedLookup[]>()
  readonly withoutCompany: DecidedLookup[] = []
  readonly #met = new Set<Decision>()

  /** `byLookup`: the valid decisions, by key in hex. */
  constructor(byLookup: ReadonlyMap<string, Decision>) {
    this.#byLookup = byLookup
  }

  /** Keys of the valid decisions, in hex. */
  get lookups(): readonly string[] {
    return [...this.#byLookup.keys()]
  }

  /** The chosen companies of all decisions, without duplicates. */
  get chosenIds(): readonly string[] {
    return [...new Set([...this.#byLookup.values()].flatMap(({ entityId }) => entityId ?? []))]
  }

  /** Decisions about lookups that no row has. */
  get unmetCount(): number {
    return this.#byLookup.size - this.#met.size
  }

  /** The chosen companies of rows, without duplicates. */
  get companies(): readonly string[] {
    return [...this.#byCompany.keys()]
  }

  /** Marks the decided lookups. Without deduplication, a decision applies to all equal rows. */
  markDecided(lookups: readonly KeyedLookup[]): readonly KeyedLookup[] {
    if (this.#byLookup.size === 0) return lookups
    return lookups.map((lookup) =>
      this.#findDecision(lookup) === null ? lookup : { ...lookup, isDecided: true },
    )
  }

  note(lookups: readonly KeyedLookup[], ids: readonly LookupId[]): void {
    if (this.#byLookup.size === 0) return
    for (const [at, asked] of lookups.entries()) {
      const id = ids[at] ?? 0
      const decision = id === 0 || this.#byId.has(id) ? null : this.#findDecision(asked)
      if (decision === null) continue
      this.#met.add(decision)
      const decided = { decision, kind: asked.kind, asked: asked.lookup }
      this.#byId.set(id, decided)
      const { entityId } = decision
      const others = entityId === null ? this.withoutCompany : this.#byCompany.get(entityId)
      if (others !== undefined) others.push(decided)
      else if (entityId !== null) this.#byCompany.set(entityId, [decided])
    }
  }

  /** Returns the decision about a lookup if it accepts this company of an own registry, whose record is not requested. */
  confirm(lookup: KeyedLookup, entityId: string | null): Decision | null {
    const decision = entityId === null ? null : this.#findDecision(lookup)
    if (decision?.entityId !== entityId) return null
    this.#met.add(decision)
    return decision
  }

  findById(id: LookupId): DecidedLookup | null {
    return this.#byId.get(id) ?? null
  }

  listByCompany(entityId: string): readonly DecidedLookup[] {
    return this.#byCompany.get(entityId) ?? []
  }

  #findDecision({ key, plainKey }: KeyedLookup): Decision | null {
    const own = this.#byLookup.get(toHex(key))
    return own ?? (plainKey === undefined ? null : (this.#byLookup.get(toHex(plainKey)) ?? null))
  }
}

/**
 * Reads the decisions about the lookups of a service, with notices for the user about their file. Throws the errors of
 * `readStandingDecisions`, which is loaded only if there may be decisions.
 */
export async function readDecided(
  request: DecisionsRequest,
): Promise<{ readonly decided: DecidedLookups; readonly notices: readonly string[] }> {
  const { path, isNamed, checkpointPath } = request
  const mayExist = isNamed || existsSync(path) || existsSync(getReviewStorePath(checkpointPath))
  if (!mayExist) return { decided: new DecidedLookups(new Map()), notices: [] }
  const { readStandingDecisions } = await import('./decision-sync.js')
  const { byLookup, notices } = await readStandingDecisions(request)
  return { decided: new DecidedLookups(byLookup), notices }
}

const toHex = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex')

interface OpenReviewOfRows extends ReviewData {
  readonly close: () => void
}

interface ReviewOfRowsDeps {
  readonly checkpointPath: string
  readonly scope: string
  readonly decided: DecidedLookups
  readonly reader: CheckpointReader | null
  readonly columns: readonly Pick<OutputColumn, 'name'>[]
  /** Answers below this confidence are doubtful. */
  readonly doubtThreshold: number
}

/** Opens the decisions and candidates for an output. Throws REVIEW_STORE_INVALID. */
export function openReviewOfRows(deps: ReviewOfRowsDeps): OpenReviewOfRows {
  const { checkpointPath, scope, decided, reader, columns, doubtThreshold: threshold } = deps
  const store = openReviewStoreToRead(checkpointPath)
  const isWritten = columns.some(({ name }) => name === ('candidates' satisfies ReviewColumnName))
  const hasCandidates = isWritten && store?.candidates.hasAny(scope) === true
  return {
    threshold,
    candidates:
      hasCandidates && reader !== null
        ? createRowCandidates({ stored: store.candidates, scope, threshold, reader })
        : null,
    decidedOf: (id) => decided.findById(id),
    urlOf: ({ decision: { lookup, entityId } }) => {
      const [candidates = null] = store?.candidates.read(scope, [lookup]) ?? []
      return candidates?.find((candidate) => candidate.entityId === entityId)?.url ?? null
    },
    close: () => store?.close(),
  }
}

interface CandidatesOfRowsDeps {
  readonly stored: Pick<ReviewCandidates, 'read'>
  readonly scope: string
  readonly threshold: number
  readonly reader: Pick<CheckpointReader, 'readLookups'>
}

function createRowCandidates(deps: CandidatesOfRowsDeps): RowCandidates {
  const { stored, scope, threshold, reader } = deps
  return {
    isDoubtful: (outcome, line) => isDoubtfulLine(outcome, () => line.toString(), threshold),
    formatMembers: (ids) => {
      const keys = reader.readLookups(ids).map((identity) => Buffer.from(identity?.key ?? []).toString('hex'))
      const kept = stored.read(scope, keys)
      return new Map(
        ids.flatMap((id, at) => {
          const candidates = kept[at] ?? []
          return candidates.length === 0 ? [] : [[id, renderCandidatesMember(candidates)] as const]
        }),
      )
    },
  }
}

function renderCandidatesMember(candidates: readonly Candidate[]): string {
  const listed = candidates.map(({ entityId, name, legalName, place, confidence, url }) => ({
    entity_id: entityId,
    name,
    legal_name: legalName,
    place,
    confidence,
    url,
  }))
  return `"candidates":${JSON.stringify(listed)}`
}
