import type { Settings } from '../config/settings.js'
import { UserError } from '../core/errors.js'
import { type Candidate, getDecisionService, type Decision } from '../core/decisions.js'
import { findDecidedKind, readStandingDecisions, Proposals } from '../pipeline/decisions/decision-sync.js'
import { openReviewStoreToRead } from '../pipeline/open-review-backend.js'
import { DoubtfulRows, type DoubtfulRow } from '../review/doubtful-rows.js'
import { chooseRegistry } from './registry-adapter.js'
import { inspectInput, type InspectionRequest } from './inspect-input.js'
import { appendIdentifiers } from '../core/numbers/stated-identifiers.js'
import type { LabelledQuery } from '../registry/evaluate/evaluation.js'

export interface LabelledDecisions {
  /** Queries with the accepted id, or without an id; `id` is the key of the lookup. */
  readonly queries: readonly LabelledQuery[]
  /** Number of decisions with ids of another service. */
  readonly otherServiceCount: number
  /** Number of decisions whose lookup had more than a decisions file has, like a context. */
  readonly furtherAskedCount: number
}

/** Turns decisions into labelled queries; decisions of hosted services are omitted. */
export function toLabelledDecisions(decisions: readonly Decision[]): LabelledDecisions {
  const embedded = getDecisionService(null)
  const own = new Map<string, Decision>()
  for (const decision of decisions) {
    if (decision.service === null && !own.has(decision.lookup)) own.set(decision.lookup, decision)
    // A decision with a service applies only to that service.
    if (decision.service === embedded) own.set(decision.lookup, decision)
  }
  return {
    queries: [...own.values()].map(toLabelledQuery),
    otherServiceCount: decisions.filter(({ service }) => service !== null && service !== embedded).length,
    furtherAskedCount: [...own.values()].filter((decision) => findDecidedKind(decision) === null).length,
  }
}

function toLabelledQuery(decision: Decision): LabelledQuery {
  const { lookup, name, location, entityId } = decision
  const website = { kind: 'website', value: name, place: null } as const
  return {
    id: lookup,
    name: findDecidedKind(decision) === 'domain' ? appendIdentifiers(null, [website]) : name,
    location,
    context: null,
    stratum: 'all',
    expected: entityId === null ? [] : [{ type: 'entity', value: entityId, jurisdiction: null }],
  }
}

/** An assistant's verdict on a doubtful lookup. */
export type ProposedVerdict = Pick<Decision, 'lookup' | 'verdict' | 'entityId' | 'note'>

/** Calls `use` with the doubtful lookups of an input. Reads only. Throws CHECKPOINT_NOT_FOUND and errors of the input. */
export function withDoubtfulRows<Result>(
  deps: Omit<InspectionRequest, 'onBatch'>,
  use: (rows: DoubtfulRows, proposals: Proposals) => Result | Promise<Result>,
): Promise<Result> {
  const { signal } = deps
  // The first decision creates the file.
  const settings = { ...deps.settings, decisions: { ...deps.settings.decisions, isNamed: false } }
  return inspectInput(
    { ...deps, settings },
    async ({ reader, index, scope, store: { path: checkpointPath } }) => {
      if (reader === null) {
        throw new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${settings.checkpoint.path}`, {
          hint: 'run first: doubtful rows are those of its answers',
        })
      }
      const service = getDecisionService(settings.service.baseUrl)
      const { decisions } = settings
      const { byLookup } = await readStandingDecisions({ ...decisions, checkpointPath, service })
      const store = openReviewStoreToRead(checkpointPath)
      const proposals = new Proposals(decisions.path, service)
      const doubt = { threshold: settings.review.threshold, isEmbedded: settings.service.baseUrl === null }
      try {
        const stored = store?.candidates ?? null
        const read = { index, reader, standing: byLookup, proposals, stored, scope, doubt, signal }
        return await use(await DoubtfulRows.read(read), proposals)
      } finally {
        store?.close()
      }
    },
  )
}

/**
 * Stores verdicts of an assistant as proposals, all or none. A company must be a candidate of its lookup, or in the
 * registry of the embedded service. Throws REVIEW_LOOKUP_UNKNOWN and REVIEW_CHOICE_INVALID.
 */
export function proposeDecisions(
  deps: Omit<InspectionRequest, 'onBatch'>,
  verdicts: readonly ProposedVerdict[],
  by: { readonly name: string; readonly nowMs: number },
): Promise<{ readonly proposals: readonly Decision[]; readonly path: string }> {
  return withDoubtfulRows(deps, async (rows, proposals) => {
    const { service } = deps.settings
    const found = rows.find(verdicts.map(({ lookup }) => lookup))
    const made = verdicts.map(({ lookup, verdict, entityId, note }) => {
      const row = found.get(lookup)
      if (row === undefined) throw createUnknownError(lookup)
      if ((verdict === 'accepted') !== (entityId !== null)) throw createIdError(row)
      const company = entityId === null ? null : findCompany(row, entityId, deps.settings)
      return {
        lookup,
        name: row.name,
        location: row.location,
        verdict,
        entityId,
        entityName: company?.legalName ?? company?.name ?? null,
        decidedBy: `assistant: ${by.name}`,
        decidedAtMs: by.nowMs,
        note,
        service: getDecisionService(service.baseUrl),
      }
    })
    await proposals.add(made)
    return { proposals: made, path: proposals.path }
  })
}

/** A hosted service is not asked, because reading a record may be billed. */
function findCompany(row: DoubtfulRow, id: string, { service }: Settings): Candidate {
  const shown = row.candidates.find(({ entityId }) => entityId === id)
  const company = shown ?? (service.baseUrl === null ? readCompany(id, service.registryPath) : null)
  if (company?.entityId === id) return company
  throw new UserError('REVIEW_CHOICE_INVALID', `${id} is not among the candidates of ${row.name}`, {
    hint: 'propose one of its candidates or none; nothing was stored',
  })
}

function readCompany(entityId: string, registryPath: string | null): Candidate | null {
  const { registry } = chooseRegistry(registryPath)
  try {
    return registry.company(entityId)
  } finally {
    registry.close()
  }
}

const createUnknownError = (lookup: string): UserError =>
  new UserError('REVIEW_LOOKUP_UNKNOWN', `the input has no open doubtful lookup ${lookup}`, {
    hint: 'doubtful_rows lists them; nothing was stored',
  })

const createIdError = ({ name }: DoubtfulRow): UserError =>
  new UserError('REVIEW_CHOICE_INVALID', `the verdict on ${name} does not fit its company`, {
    hint: 'accepted needs an entity_id, none has no entity_id; nothing was stored',
  })
