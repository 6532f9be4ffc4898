import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import { stringify } from 'csv-stringify/sync'
import { importCsvText, type CsvSettings } from '../../src/registry/import/import-csv.js'
import type { ImportResult } from '../../src/registry/import/session.js'
import { openRegistry, type WritableRegistry } from '../../src/registry/registry.js'
import { makeFolder } from './temporary-folder.js'

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = makeFolder()
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
  return writeContent(fileName, csvOf(rows), folder)
}

/** Writes a file into a folder, which is gone when the test is over, and returns the path. */
export function writeContent(name: string, content: string | Buffer, folder = temporaryFolder()): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

type RowsFile = CsvSettings & { readonly fileName?: string; readonly fileDateMs?: number }

/** Imports rows as a file that nothing is known of but its rows. */
export function addRows(registry: WritableRegistry, rows: readonly Row[], file: RowsFile = {}): ImportResult {
  return importCsvText(registry, Buffer.from(csvOf(rows)), {
    fileName: 'companies.csv',
    fileDateMs: 0,
    ...file,
  })
}

/** A registry in memory that holds rows. */
export function registryOf(rows: readonly Row[], file: RowsFile = {}): WritableRegistry {
  const registry = openRegistry(':memory:')
  addRows(registry, rows, file)
  return registry
}

/** Runs `enrich registry …` as the command line does, and returns what it wrote. */
export async function runRegistryCommand(...argv: string[]): Promise<{ out: string; err: string }> {
  const written = { out: '', err: '' }
  // Loaded here alone: most tests of the registry need no command line.
  const { fillRegistryCommand } = await import('../../src/cli/commands/registry.js')
  const program = new Command('enrich').exitOverride().configureOutput({ writeErr: () => undefined })
  fillRegistryCommand(program.command('registry'), {
    out: (text) => (written.out += text),
    err: (text) => (written.err += text),
    draw: () => undefined,
    isTerminal: false,
    program: 'enrich',
    environment: {},
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    argv,
    interrupt: new AbortController().signal,
    setExitCode: () => undefined,
  })
  await program.parseAsync(['registry', ...argv], { from: 'user' })
  return written
}
