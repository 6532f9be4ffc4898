/** One name to match, as the fit sees it. A row that was made up tells how. */
export interface FitQuery {
  readonly set: FitSet
  /** The stratum of the list, or the kind of change. Rows of one kind are held out together. */
  readonly kind: string
  readonly name: string
  readonly city: string
  readonly region: string
  readonly postcode: string
  readonly country: string
  readonly isAbsent: boolean
  /** Ids that are right: `cik:320193`, `lei:…`, `gb:445790`, `siq_…`. */
  readonly expected: ReadonlySet<string>
  /** Ids that the matcher must not give: it acts as if the registry did not hold these companies. */
  readonly leftOut: ReadonlySet<string>
  /** Weight in the fit; 0 for rows that are only judged. */
  readonly weight: number
  /** Operations that made the name of a noise row; empty for others. Rows of one operation are held out together. */
  readonly operations: readonly string[]
}

export const labelledSets = ['dev', 'dev2', 'dev3', 'dev4', 'own'] as const
export const generatedSets = [
  'noise',
  'near',
  'changed',
  'sibling',
  'form',
  'elsewhere',
  'headed',
  'copy',
] as const
export type FitSet = (typeof labelledSets)[number] | (typeof generatedSets)[number]

export interface FitCandidate {
  /** Id of the company in the registry: `siq_…`. */
  readonly id: string
  /** All ids of the company, in the writing of `FitQuery.expected`, its own id among them. */
  readonly ids: readonly string[]
  /** Equal for rows that are the same company on paper: no rivals of each other. */
  readonly sameAs: string
  /** Values in the order of `candidateFeatureNames`. */
  readonly features: Float32Array
  /** Name that the text was compared with, for lists of errors. */
  readonly name?: string
}

/** Scores of stage 1 of one query, as log odds. */
export interface FirstScores {
  readonly first: number
  /** Best candidate that is not the same company as the first; `scoreFloor` if there is none. */
  readonly rival: number
  /** Number of such candidates within `nearMargin` of the first. */
  readonly countNear: number
  /** Log of the summed exp of the scores of such candidates and of `othersFloor`. */
  readonly logSumOthers: number
}

export const scoreFloor = -9
export const othersFloor = -3
export const nearMargin = 1.5

/** Keeps weights of features in bounds, or sets those that no row teaches. */
export interface FitBounds {
  /** 1: the weight is at least 0; -1: at most 0. */
  readonly signs?: Readonly<Record<string, 1 | -1>>
  /** Weight per unit of the feature. */
  readonly fixed?: Readonly<Record<string, number>>
}

export interface FitMatcher {
  listFitCandidates(query: FitQuery): FitCandidate[]
}

/** A module that the fit reads; `--matcher` names it. */
export interface FitMatcherModule {
  readonly candidateFeatureNames: readonly string[]
  readonly decisionFeatureNames: readonly string[]
  /** Features that are always 1: their weights take the bias of a stage. */
  readonly candidateBias: string
  readonly decisionBias: string
  readonly candidateBounds?: FitBounds
  readonly decisionBounds?: FitBounds
  /** Bounds the log odds of stage 2 by the scores of stage 1. */
  boundLogOdds?(logOdds: number, scores: FirstScores, features: Float32Array): number
  openFitMatcher(registryPath: string): FitMatcher | Promise<FitMatcher>
  /** Values in the order of `decisionFeatureNames`; not called for a query without candidates. */
  buildDecisionFeatures(features: Float32Array, scores: FirstScores, query: FitQuery): ArrayLike<number>
}

/** Writes an identifier as `FitQuery.expected` does; `null` for other kinds of identifiers. */
export function toFitId(type: string, value: string, jurisdiction: string): string | null {
  const short = value.trim().toUpperCase().replace(/^0+/, '')
  if (type === 'cik') return `cik:${short}`
  if (type === 'lei') return `lei:${value.trim().toUpperCase()}`
  return type === 'registration_id' && jurisdiction.toLowerCase().startsWith('gb') ? `gb:${short}` : null
}
