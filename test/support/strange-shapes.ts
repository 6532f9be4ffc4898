/** Deviations from the service in src/service. The interface permits each, or leaves it open. */
const deviations = [
  'unknown keys',
  'unknown values',
  'other letters in statuses',
  'pending with status 200',
  'no zeros before a CIK',
  'tiers as texts',
] as const
export type Deviations = ReadonlySet<(typeof deviations)[number]>

/** Each bit of the seed is one deviation. Without a seed: all. */
export const chooseDeviations = (seed?: number): Deviations =>
  new Set(deviations.filter((_, index) => seed === undefined || ((seed >> index) & 1) === 1))

export const seedsMax = 2 ** deviations.length

const all = chooseDeviations()

export interface StrangeAnswer {
  readonly status: string
  readonly match_confidence?: number
  readonly type?: string | null
  readonly subtype?: string | null
  readonly entity?: Readonly<Record<string, unknown>> | null
  readonly candidate?: Readonly<Record<string, unknown>> | null
  readonly factors?: readonly Readonly<Record<string, unknown>>[]
  readonly actions?: readonly Readonly<Record<string, unknown>>[]
  readonly merged_into?: string | null
  readonly basis?: readonly Readonly<Record<string, unknown>>[]
}

export interface StrangeQuery {
  readonly name: string
  readonly location: string | null
  readonly context: string | null
}

/** Values that stand in no enumeration of the interface. */
export const strangeValues = {
  factorCode: 'chamber_of_commerce_agreement',
  factorType: 'observation',
  legalForm: 'societas_europaea',
  entityType: 'enterprise',
  runStatus: 'running',
} as const

/** A match as this service would word it, for tests that need no more than a name and an id. */
export function strangeMatch(legalName: string, id = `siq_${legalName.replace(/\W+/g, '-')}`): StrangeAnswer {
  return {
    status: 'matched',
    match_confidence: 91,
    subtype: 'incorporated_entity',
    entity: {
      id,
      display_name: legalName,
      legal_name: legalName,
      status: 'active',
      description: null,
      website: 'https://example.org',
      headquarters: { address: { city: 'Lyon', country: 'France', country_code: 'FR' } },
      primary_legal_entity: { id: 'le_1', jurisdiction: 'fr', country_code: 'FR', state_code: null },
      identifiers: [
        { type: 'cik', value: '0000320193', jurisdiction: null },
        { type: 'registration_id', value: '000123456', jurisdiction: 'FR' },
      ],
      facets: { sector: 'private', legal_form: null },
      parent_entity: null,
    },
    basis: [
      {
        field: 'legal_name',
        confidence: 'high',
        reasoning: 'named so in the register',
        citations: [
          {
            url: 'https://register.example/000123456',
            excerpt: legalName,
            source_type: 'government_registry',
            authority_tier: 1,
          },
        ],
      },
    ],
  }
}

/** The result of a run: no `cache_hit_type`, no null where a key may go, and the deviations. */
export function strangeResult(
  answer: StrangeAnswer,
  query: StrangeQuery,
  withBasis: boolean,
  odd: Deviations = all,
): unknown {
  const entity = answer.entity ? dressEntity(answer.entity, odd) : null
  const hasValues = odd.has('unknown values')
  const result = {
    ...answer,
    match_confidence: answer.match_confidence ?? 0,
    type: answer.type ?? (entity === null ? null : hasValues ? strangeValues.entityType : 'business'),
    entity,
    candidate: answer.candidate ?? null,
    factors: [
      ...(answer.factors ?? []),
      ...(hasValues
        ? [
            {
              code: strangeValues.factorCode,
              type: strangeValues.factorType,
              description: null,
              impact: 'none',
            },
          ]
        : []),
    ],
    actions: answer.actions ?? [],
    merged_into: answer.merged_into ?? null,
    basis: withBasis ? (answer.basis ?? []).map((entry) => dressBasis(entry, odd)) : undefined,
    request_id: 'req_00000000-0000-4000-8000-000000000000',
    metadata: {
      query: { ...query, classification: 'ambiguous', mode: 'turbo' },
      resolved_at: '2026-01-02T03:04:05.678+00:00',
      updated_at: '2026-01-02T03:04:05.678+00:00',
      from_cache: false,
    },
  }
  return withUnknownKeys(result, odd)
}

function dressEntity(entity: Readonly<Record<string, unknown>>, odd: Deviations): Record<string, unknown> {
  const facets = (entity.facets ?? {}) as Record<string, unknown>
  const identifiers = (entity.identifiers ?? []) as { type: string; value: string }[]
  return {
    ...entity,
    facets: {
      ...facets,
      legal_form: facets.legal_form ?? (odd.has('unknown values') ? strangeValues.legalForm : null),
    },
    identifiers: identifiers.map((identifier) =>
      identifier.type === 'cik' && odd.has('no zeros before a CIK')
        ? { ...identifier, value: identifier.value.replace(/^0+/, '') }
        : identifier,
    ),
  }
}

function dressBasis(entry: Readonly<Record<string, unknown>>, odd: Deviations): Record<string, unknown> {
  const citations = (entry.citations ?? []) as { authority_tier: number }[]
  return {
    ...entry,
    citations: citations.map((citation) => ({
      ...citation,
      authority_tier: odd.has('tiers as texts') ? String(citation.authority_tier) : citation.authority_tier,
    })),
  }
}

/** Every object gets a key that no version of the interface names. */
export function withUnknownKeys(value: unknown, odd: Deviations): unknown {
  if (!odd.has('unknown keys')) return value
  if (Array.isArray(value)) return value.map((item) => withUnknownKeys(item, odd))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, withUnknownKeys(inner, odd)])
  return { ...Object.fromEntries(entries), x_revision: { number: 7 } }
}
