import type { NameKind } from '../model/registry-rows.js'
import type { FormClass } from '../normalize/legal-forms.js'
import type { Place } from './place-agreement.js'

/** One name of one registration. */
export interface CandidateName {
  readonly entityNumber: number
  readonly legalEntityNumber: number
  readonly sourceNumber: number
  readonly kind: NameKind
  readonly name: string
  /** The legal name of the registration that has this name. */
  readonly registeredName: string
  /** Lower case, `us_de`; `null` if not stated. */
  readonly jurisdiction: string | null
  readonly tokens: readonly string[]
  readonly coreKey: string
  readonly fullKey: string
  readonly formClass: FormClass | null
  readonly acronym: string
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
  /** Its shares are traded. */
  readonly isListed: boolean
  readonly hasLei: boolean
  /** A register states its industry. */
  readonly hasIndustry: boolean
}
