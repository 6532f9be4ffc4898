import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { onTestFinished } from 'vitest'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-registry-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

export type Row = Readonly<Record<string, string>>

/** Companies of the world as a small register would list them; `id` is the file's own. */
export const sampleRows: readonly Row[] = [
  {
    id: 'ibm',
    name: 'International Business Machines Corporation',
    other_names: 'IBM|Big Blue',
    former_names: 'Computing-Tabulating-Recording Company',
    status: 'active',
    street_address: 'One New Orchard Road',
    city: 'Armonk',
    region: 'NY',
    postal_code: '10504',
    country: 'US',
    jurisdiction: 'US-NY',
    registration_authority: 'RA000628',
    lei: 'VGRQXHF3J8VDLUA7XE92',
    cik: '51143',
    ein: '13-0871985',
    ticker: 'ibm',
    sic: '3570',
    website: 'https://www.ibm.com',
  },
  {
    id: 'redhat',
    name: 'Red Hat, Inc.',
    city: 'Raleigh',
    region: 'North Carolina',
    country: 'United States',
    jurisdiction: 'us_de',
    cik: '1087423',
    parent_id: 'ibm',
  },
  {
    id: 'acme-london',
    name: 'Acme Widgets Limited',
    city: 'London',
    postal_code: 'EC1A 1BB',
    country: 'GB',
    jurisdiction: 'gb',
    registration_id: '01234567',
    registration_authority: 'RA000585',
    status: 'Active',
  },
  {
    id: 'acme-leeds',
    name: 'Acme Widgets LLP',
    city: 'Leeds',
    postal_code: 'LS1 4AP',
    country: 'GB',
    jurisdiction: 'gb',
    registration_id: 'OC312345',
    website: 'www.acmesolicitors.example.com',
  },
  { id: 'oxfam', name: 'Oxfam', type: 'nonprofit', city: 'Oxford', country: 'GB', jurisdiction: 'gb' },
  {
    id: 'toyota',
    name: 'トヨタ自動車株式会社',
    other_names: 'Toyota Motor Corporation|Toyota',
    city: '豊田市',
    country: 'JP',
  },
]

const columns = [
  ...'id,name,other_names,former_names,type,subtype,status,legal_form,street_address,city,region,postal_code'.split(
    ',',
  ),
  ...'country,jurisdiction,registration_id,registration_authority,lei,cik,ein,bic,ticker,sic,website'.split(
    ',',
  ),
  ...'parent_id,source_url'.split(','),
]

export function csvOf(rows: readonly Row[]): string {
  return stringify([...rows], { header: true, columns })
}

/** Writes rows as CSV into a folder and returns the path. */
export function writeRows(folder: string, rows: readonly Row[], fileName = 'companies.csv'): string {
  const path = join(folder, fileName)
  writeFileSync(path, csvOf(rows))
  return path
}
