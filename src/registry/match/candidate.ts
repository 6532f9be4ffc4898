import type { NameKind } from '../model/registry-rows.js'
import type { FormClass } from '../normalize/legal-forms.js'
import type { Place } from './place-agreement.js'

/** One name of one registration, as the matcher sees it. */
export interface CandidateName {
  readonly entityNumber: number
  readonly legalEntityNumber: number
  readonly sourceNumber: number
  readonly kind: NameKind
  readonly name: string
  /** The legal name of the registration that has this name. */
  readonly registeredName: string
  readonly tokens: readonly string[]
  readonly coreKey: string
  readonly fullKey: string
  readonly formClass: FormClass | null
  readonly acronym: string
  readonly active: boolean
  /** The newest file of its source no longer names it. */
  readonly removed: boolean
  /** A business that is an incorporated entity: the only kind an answer may name as `entity`. */
  readonly supported: boolean
  readonly place: Place
  readonly prominence: Prominence
}

/** What registers know of a company that few companies have; of any registration of it. */
interface Prominence {
  /** Its shares are traded. */
  readonly isListed: boolean
  readonly hasLei: boolean
  /** A register states its industry: it reports. */
  readonly hasIndustry: boolean
}
