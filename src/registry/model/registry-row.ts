import type { EntitySubtype, EntityType, IdentifierType } from '../../contract/enums.js'

export type NameKind = 'legal' | 'other' | 'former'

/** One registration as an importer hands it to the store: checked, canonical, no field left to guess. */
export interface RegistryRow {
  /** `<id type>:<id>`, unique in its source. */
  readonly sourceKey: string
  readonly sourceLine: number
  readonly legalName: string
  readonly names: readonly RowName[]
  readonly type: EntityType
  readonly subtype: EntitySubtype
  readonly status: string | null
  readonly legalForm: string | null
  /** Lower case, `us_de` or `de`. */
  readonly jurisdiction: string | null
  readonly registrationAuthority: string | null
  readonly identifiers: readonly RowIdentifier[]
  /** How many identifiers its sources state beyond those kept. */
  readonly identifiersOmitted?: number
  readonly address: RowAddress
  readonly website: string | null
  readonly sic: string | null
  readonly naics: string | null
  /** Codes of other schemes, as `scheme:code code`: `uk_sic_2007:46730 46740`. */
  readonly industryCodes: string | null
  /** `YYYY-MM-DD`. */
  readonly formedOn: string | null
  /** The `sourceKey` of the row of the parent. */
  readonly parentKey: string | null
  /** The `sourceKey` of the registration that took this one's place. */
  readonly successorKey: string | null
  readonly sourceUrl: string | null
}

export interface RowName {
  readonly kind: NameKind
  readonly name: string
  /** Of a former name, the first day on which it was not the name any more, `YYYY-MM-DD`; where known. */
  readonly endedOn?: string
  /** The source whose files bore the name and no longer do; none where the register itself lists it as former. */
  readonly endedSource?: string
}

export interface RowIdentifier {
  readonly type: IdentifierType
  readonly value: string
  /** Only where the type is jurisdictional (`registration_id`, `ein`). */
  readonly jurisdiction: string | null
  /** Of a ticker: where it is traded, as the source calls it. */
  readonly exchange?: string
}

export interface RowAddress {
  /** As the source has it: number and sub-premise stand in it as well. */
  readonly street: string | null
  /** Only where the source states them apart. */
  readonly streetNumber: string | null
  readonly subPremise: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postalCode: string | null
  readonly countryCode: string | null
  readonly formatted: string | null
}

/** What a source states of a registration; without a name it only adds to what others state. */
export type StatedRow = Omit<RegistryRow, 'legalName'> & { readonly legalName: string | null }

/** Which version of the rules of reading and joining made the rows; a higher one makes an unchanged file be read again. */
export const derivationVersion = 6

/** A row, or why it is none; `dropped` names values left out of a row that is kept. */
export interface ReadRow {
  readonly row: RegistryRow | null
  readonly reason: string | null
  readonly dropped: readonly string[]
}
