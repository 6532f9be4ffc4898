import type { EntitySubtype, EntityType, IdentifierType } from '../../contract/enums.js'
import type { Encoding } from '../../core/file-formats.js'

export type NameKind = 'legal' | 'other' | 'former'

/** One registration as an importer gives it to the store: checked, canonical and complete. */
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
  /** Number of stated identifiers that are not kept. */
  readonly identifiersOmitted?: number
  readonly address: RowAddress
  readonly website: string | null
  readonly sic: string | null
  readonly naics: string | null
  /** Codes of other schemes, as `scheme:code code`: `uk_sic_2007:46730 46740`. */
  readonly industryCodes: string | null
  /** `YYYY-MM-DD`. */
  readonly formedOn: string | null
  /** `sourceKey` of the row of the parent. */
  readonly parentKey: string | null
  /** `sourceKey` of the registration that replaced this one. */
  readonly successorKey: string | null
  readonly sourceUrl: string | null
  /** The registered name as another source writes it, if only that has small letters. */
  readonly mixedName?: string
  /** Facts that only an encyclopedia states. */
  readonly profile?: CompanyProfile
}

/** Facts about a company that registers do not state. */
export interface CompanyProfile {
  readonly description: string | null
  /** `YYYY-MM-DD`. */
  readonly foundedOn: string | null
  readonly employees: number | null
  /** US dollars a year. */
  readonly revenue: number | null
  readonly industries: readonly string[]
  readonly parent: string | null
  readonly linkedin: string | null
  readonly facebook: string | null
  readonly crunchbase: string | null
}

export interface RowName {
  readonly kind: NameKind
  readonly name: string
  /** For a former name: first day on which it was no longer the name, `YYYY-MM-DD`, if known. */
  readonly endedOn?: string
  /** Source whose files had the name and no longer do; absent if the register itself lists the name as former. */
  readonly endedSource?: string
}

export interface RowIdentifier {
  /** `domain`: a root domain of the company, which answers do not list among identifiers. */
  readonly type: IdentifierType | 'domain'
  readonly value: string
  /** Set only if the type is jurisdictional (`registration_id`, `ein`). */
  readonly jurisdiction: string | null
  /** For a ticker: the exchange, as the source names it. */
  readonly exchange?: string
}

export interface RowAddress {
  /** As the source states it, including number and sub-premise. */
  readonly street: string | null
  /** Set only if the source states number and sub-premise separately. */
  readonly streetNumber: string | null
  readonly subPremise: string | null
  readonly city: string | null
  readonly region: string | null
  readonly postalCode: string | null
  readonly countryCode: string | null
  readonly formatted: string | null
}

/** Facts that a source states about a registration; without a name it only adds to other sources. */
export type StatedRow = Omit<RegistryRow, 'legalName'> & { readonly legalName: string | null }

/** Version of the reading and joining rules that made the rows. Increase it to reimport unchanged files. */
export const derivationVersion = 39

/** A row, or the reason for its rejection; `dropped` names values that were left out of an accepted row. */
export interface ReadRow {
  readonly row: RegistryRow | null
  readonly reason: string | null
  readonly dropped: readonly string[]
}

/** The result of reading one record of a file. */
export type ImportItem =
  | RegistrationItem
  | AdditionItem
  | RelationshipItem
  | CodeItem
  | SecurityItem
  | { readonly kind: 'rejected'; readonly line: number; readonly reason: string }
  /** A valid record with nothing to store, such as a relationship that ended. */
  | { readonly kind: 'skipped'; readonly line: number; readonly why: 'ended' | 'outside' | 'excluded' }

/** Some items of a file, in order, which are read once and may be made while they are read. */
export type ItemPiece = Iterable<ImportItem>

interface RegistrationItem {
  readonly kind: 'registration'
  readonly line: number
  readonly read: ReadRow
  /** Date of the statement, if a file has several of one company: the latest is used. */
  readonly statedOn: string | null
}

/** Adds facts to registrations of other sources, present or future. */
export interface AdditionItem {
  readonly kind: 'addition'
  readonly line: number
  readonly rows: readonly StatedRow[]
  readonly dropped: readonly string[]
}

/** A relationship between registrations with these keys, present or future. */
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

/** Code lists used by registers: GLEIF's registration authorities, ISO 20275 legal forms. */
type CodeScheme = 'registration_authority' | 'legal_form'

export interface SecurityItem {
  readonly kind: 'security'
  readonly line: number
  readonly isin: string
  readonly issuerKey: string
}

/** Options for reading a file, in addition to its format. */
export interface ReadOptions {
  /** Detected if absent. */
  readonly encoding?: Encoding | undefined
  /** Receives notices about reading the file, such as a detected encoding or skipped lines. */
  readonly onNotice?: ((text: string) => void) | undefined
}

export interface FileFormat {
  /** `whole`: records missing in a newer file are removed. `part`: each file adds to the previous ones. */
  readonly coverage: 'whole' | 'part'
  /** Rows about one company are merged; otherwise the later row replaces the earlier one. */
  readonly addsUp: boolean
  /** Errors: those of reading files, and REGISTRY_IMPORT_INVALID for a file of another format. */
  read(path: string, options?: ReadOptions): AsyncGenerator<ItemPiece>
}

/** Types of GLEIF from child to parent, and `IS_CONTROLLED_BY` for a parent without a stated type. */
export type RelationshipType =
  | 'IS_DIRECTLY_CONSOLIDATED_BY'
  | 'IS_ULTIMATELY_CONSOLIDATED_BY'
  | 'IS_INTERNATIONAL_BRANCH_OF'
  | 'IS_FUND-MANAGED_BY'
  | 'IS_SUBFUND_OF'
  | 'IS_FEEDER_TO'
  | 'IS_CONTROLLED_BY'

/** Types by which a parent owns or contains its child; a manager or master fund does not. */
export const ownershipTypes = [
  'IS_DIRECTLY_CONSOLIDATED_BY',
  'IS_ULTIMATELY_CONSOLIDATED_BY',
  'IS_INTERNATIONAL_BRANCH_OF',
  'IS_SUBFUND_OF',
  'IS_CONTROLLED_BY',
] as const satisfies readonly RelationshipType[]
export type OwnershipType = (typeof ownershipTypes)[number]
