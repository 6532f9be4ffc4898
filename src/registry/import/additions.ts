import { toRootDomain } from '../../core/domain-name.js'
import { UserError } from '../../core/errors.js'
import { isIsin, toCanonicalIdentifier } from '../../core/identifiers.js'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { createEmptyFileError } from '../../tables/limits-and-errors.js'
import { openOneFile } from '../../tables/text-tables.js'
import type {
  StatedRow,
  RowIdentifier,
  AdditionItem,
  FileFormat,
  ImportItem,
} from '../model/registry-rows.js'
import { isMostly } from '../reference/registers.js'
import { readSample } from './item-thread.js'
import { createTableFormat, readTableItems, type Table, type TableRow } from './table.js'

type AddedFacts = Partial<Pick<StatedRow, 'names' | 'identifiers' | 'website'>>

/** Builds an addition to a registration of other sources. */
export function buildAddition(line: number, sourceKey: string, added: AddedFacts): AdditionItem {
  return { kind: 'addition', line, rows: [buildAddedRow(line, sourceKey, added)], dropped: [] }
}

/** Fields that are not given are `null`. */
export function buildAddedRow(line: number, sourceKey: string, added: AddedFacts): StatedRow {
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
    website: added.website ?? null,
    sic: null,
    naics: null,
    industryCodes: null,
    formedOn: null,
    parentKey: null,
    successorKey: null,
    sourceUrl: null,
  }
}

/** `gleif-bic`: LEI to BIC, one pair per line. */
export const gleifBic = createLeiMap('BIC', (row, line, lei) => {
  const bic = toCanonicalIdentifier('bic', row.getText('BIC') ?? '')
  if ('reason' in bic) return { kind: 'rejected', line, reason: bic.reason }
  return buildAddition(line, `lei:${lei}`, {
    identifiers: [{ type: 'bic', value: bic.value, jurisdiction: null }],
  })
})

/** `gleif-isin`: LEI to ISIN, one pair per line. */
export const gleifIsin = createLeiMap('ISIN', (row, line, lei) => {
  const isin = (row.getText('ISIN') ?? '').toUpperCase()
  return isIsin(isin)
    ? { kind: 'security', line, isin, issuerKey: `lei:${lei}` }
    : { kind: 'rejected', line, reason: `ISIN "${isin.slice(0, 20)}" fails its checksum` }
})

function createLeiMap(
  column: string,
  buildItem: (row: TableRow, line: number, lei: string) => ImportItem,
): FileFormat {
  const table: Table = {
    what: `LEI-to-${column} map of GLEIF`,
    required: ['LEI', column],
    wanted: [],
    read(row, line) {
      const lei = toCanonicalIdentifier('lei', row.getText('LEI') ?? '')
      return 'reason' in lei
        ? { kind: 'rejected', line, reason: lei.reason }
        : buildItem(row, line, lei.value)
    },
  }
  return createTableFormat(table, { addsUp: true })
}

/**
 * `lei-cik`: LEI to CIK, one pair per line. The two columns are found by their content, with any name and order. Each
 * side gets the other's number, so that a pair is useful if only one of them is stored.
 */
export const leiCik: FileFormat = {
  coverage: 'whole',
  addsUp: true,
  async *read(path, options) {
    const sample = await readSample(path, options?.encoding)
    if (sample.text === '') throw createEmptyFileError(path)
    const columns = findPairColumns(sample.header, sample.rows)
    if (columns === null) {
      throw new UserError('REGISTRY_IMPORT_INVALID', `${path} is not a map of LEI to CIK`, {
        hint: 'it needs a column of LEIs and one of CIKs: numbers of ten digits, or under a header that says CIK',
      })
    }
    const table = {
      what: 'map of LEI to CIK',
      required: [columns.lei, columns.cik],
      wanted: [],
      read: (row: TableRow, line: number) => readPair(row, line, columns),
    }
    yield* readTableItems(await openOneFile(path, null), table, { ...options, encoding: sample.encoding })
  },
}

type PairColumns = Readonly<{ lei: string; cik: string }>

/** Returns `null` unless exactly one column has LEIs and one has CIKs. */
export function findPairColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): PairColumns | null {
  const findColumns = (holds: (cell: string, name: string) => boolean) =>
    header.filter((name, index) => {
      const cells = rows.map((row) => (row[index] ?? '').trim())
      return isMostly(cells, (cell) => holds(cell, name))
    })
  const [lei, otherLei] = findColumns((cell) => 'value' in toCanonicalIdentifier('lei', cell))
  const [cik, otherCik] = findColumns(isCik)
  if (lei === undefined || cik === undefined || otherLei !== undefined || otherCik !== undefined) return null
  return { lei, cik }
}

/** Ten digits with leading zeros are a CIK; other numbers only under a header that says CIK. */
function isCik(cell: string, name: string): boolean {
  const isNamed = /(?:^|[^a-z])cik(?:$|[^a-z])|central.?index/i.test(name)
  return isNamed ? /^\d{1,10}$/.test(cell) && Number(cell) > 0 : /^0\d{9}$/.test(cell) && Number(cell) > 0
}

function readPair(row: TableRow, line: number, columns: PairColumns): ImportItem {
  const lei = toCanonicalIdentifier('lei', row.getText(columns.lei) ?? '')
  if ('reason' in lei) return { kind: 'rejected', line, reason: lei.reason }
  const cik = toCanonicalIdentifier('cik', row.getText(columns.cik) ?? '')
  if ('reason' in cik) return { kind: 'rejected', line, reason: cik.reason }
  const toIdentifiers = (type: 'lei' | 'cik', value: string): RowIdentifier[] => [
    { type, value, jurisdiction: null },
  ]
  return {
    kind: 'addition',
    line,
    rows: [
      buildAddedRow(line, `lei:${lei.value}`, { identifiers: toIdentifiers('cik', cik.value) }),
      buildAddedRow(line, `cik:${cik.value}`, { identifiers: toIdentifiers('lei', lei.value) }),
    ],
    dropped: [],
  }
}

/**
 * `domains`: `domain,company`, one domain per line; also redirects and aliases. The company is an identifier: an LEI,
 * `CIK 320193` or `company number GB 00445790`.
 */
export const domainList = createTableFormat(
  { what: 'list of domains', required: ['domain', 'company'], wanted: [], read: readDomain },
  { addsUp: true },
)

function readDomain(row: TableRow, line: number): ImportItem {
  const text = row.getText('domain') ?? ''
  const domain = toRootDomain(text)
  if (domain === null)
    return { kind: 'rejected', line, reason: `"${text.slice(0, 40)}" is not a public domain` }
  const company = row.getText('company') ?? ''
  const key = toCompanyKey(company)
  const reason = `"${company.slice(0, 40)}" is not an LEI, a CIK or a company number`
  if (key === null) return { kind: 'rejected', line, reason }
  return buildAddition(line, key, {
    website: `https://${domain}`,
    identifiers: [{ type: 'domain', value: domain, jurisdiction: null }],
  })
}

function toCompanyKey(text: string): string | null {
  const { name, identifiers } = readIdentifiers(text)
  const [identifier, ...others] = identifiers
  if (name !== null || identifier === undefined || others.length > 0) return null
  const { kind, value, place } = identifier
  if (kind === 'lei' || kind === 'cik') return `${kind}:${value}`
  return kind === 'registration_id' && place !== null
    ? `registration_id:${place.toLowerCase().replace('-', '_')}:${value}`
    : null
}
