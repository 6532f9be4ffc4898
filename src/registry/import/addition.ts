import type { StatedRow } from '../model/registry-row.js'
import type { AdditionItem } from '../model/import-item.js'

type Added = Partial<Pick<StatedRow, 'names' | 'identifiers'>>

/** What a file adds to a registration that others state. */
export function additionItem(line: number, sourceKey: string, added: Added): AdditionItem {
  return { kind: 'addition', line, rows: [addedRow(line, sourceKey, added)], dropped: [] }
}

/** All that it does not say is null. */
export function addedRow(line: number, sourceKey: string, added: Added): StatedRow {
  return {
    sourceKey,
    sourceLine: line,
    legalName: null,
    names: added.names ?? [],
    type: 'unknown',
    subtype: 'unknown',
    status: null,
    legalForm: null,
    jurisdiction: null,
    registrationAuthority: null,
    identifiers: added.identifiers ?? [],
    address: {
      street: null,
      streetNumber: null,
      subPremise: null,
      city: null,
      region: null,
      postalCode: null,
      countryCode: null,
      formatted: null,
    },
    website: null,
    sic: null,
    naics: null,
    industryCodes: null,
    formedOn: null,
    parentKey: null,
    successorKey: null,
    sourceUrl: null,
  }
}
