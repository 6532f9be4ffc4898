import type { EntitySubtype, EntityType, IdentifierType } from '../../contract/enums.js'
import type { Encoding } from '../../tables/encodings/names.js'

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

/** What one record of a file comes to. */
export type ImportItem =
  | RegistrationItem
  | AdditionItem
  | RelationshipItem
  | CodeItem
  | SecurityItem
  | { readonly kind: 'rejected'; readonly line: number; readonly reason: string }
  /** Sound, and nothing to keep: a relationship that ended, say. */
  | { readonly kind: 'skipped'; readonly line: number }

interface RegistrationItem {
  readonly kind: 'registration'
  readonly line: number
  readonly read: ReadRow
  /** The day of the claim, where a file holds several of one company: the latest is taken. */
  readonly statedOn: string | null
}

/** Adds to registrations that other sources state, now or later. */
export interface AdditionItem {
  readonly kind: 'addition'
  readonly line: number
  readonly rows: readonly StatedRow[]
  readonly dropped: readonly string[]
}

/** Between registrations that are known by these keys, now or later. */
export interface RelationshipItem {
  readonly kind: 'relationship'
  readonly line: number
  readonly childKey: string
  readonly parentKey: string
  readonly type: RelationshipType
  readonly percentage: number | null
  readonly fromDate: string | null
  readonly toDate: string | null
  readonly sourceUrl: string | null
}

export interface CodeItem {
  readonly kind: 'code'
  readonly line: number
  readonly scheme: CodeScheme
  readonly code: string
  readonly facts: Readonly<Record<string, string | null>>
}

/** Lists that registers refer to by code: GLEIF's registration authorities, ISO 20275 legal forms. */
type CodeScheme = 'registration_authority' | 'legal_form'

export interface SecurityItem {
  readonly kind: 'security'
  readonly line: number
  readonly isin: string
  readonly issuerKey: string
}

/** How a file is to be read, besides its format. */
export interface ReadOptions {
  /** Found if left out. */
  readonly encoding?: Encoding | undefined
  /** What the user should know of how the file is read: a guessed encoding, lines left out. */
  readonly onNotice?: ((text: string) => void) | undefined
}

/** How files of a register are read. */
export interface FileFormat {
  /** `whole`: what a newer file no longer names is removed from the source. `part`: each file adds to those before. */
  readonly coverage: 'whole' | 'part'
  /** Rows about one company add up, instead of the later taking the place of the former. */
  readonly addsUp: boolean
  /** Errors: those of files, and REGISTRY_IMPORT_INVALID for a file of another kind. */
  read(path: string, options?: ReadOptions): AsyncGenerator<readonly ImportItem[]>
}

/**
 * How one registration stands to another, from the child's side: GLEIF's types of relationship records, and
 * `IS_CONTROLLED_BY` for a parent that a plain file names without saying how.
 */
export type RelationshipType =
  | 'IS_DIRECTLY_CONSOLIDATED_BY'
  | 'IS_ULTIMATELY_CONSOLIDATED_BY'
  | 'IS_INTERNATIONAL_BRANCH_OF'
  | 'IS_FUND-MANAGED_BY'
  | 'IS_SUBFUND_OF'
  | 'IS_FEEDER_TO'
  | 'IS_CONTROLLED_BY'

/**
 * The types by which a parent owns or contains its child. Who manages a fund, or what it feeds, does not
 * own it.
 */
export const ownershipTypes = [
  'IS_DIRECTLY_CONSOLIDATED_BY',
  'IS_ULTIMATELY_CONSOLIDATED_BY',
  'IS_INTERNATIONAL_BRANCH_OF',
  'IS_SUBFUND_OF',
  'IS_CONTROLLED_BY',
] as const satisfies readonly RelationshipType[]
export type OwnershipType = (typeof ownershipTypes)[number]
