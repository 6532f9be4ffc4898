import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { CliPlace } from './cli.js'
import type { Served } from './served.js'
import { rowsOfCsv } from './tables.js'

export interface OwnWorld {
  readonly names: readonly string[]
  /** The names that the own registry knows, sorted. */
  readonly known: readonly string[]
  /** The others, sorted. */
  readonly unknown: readonly string[]
}

/** The service knows these, and the own registry does not. */
const ofService = ['Pfizer Inc.', 'Unilever PLC', 'SAP SE', 'Barclays Bank PLC']

/** Companies that resemble no other one. */
const ownName = (at: number): string => {
  const letters = createHash('sha256').update(String(at)).digest('hex').slice(0, 14)
  return `X${letters.replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')} GmbH`
}

/** Writes `companies.csv` with this number of names, and loads `own.sqlite`, which knows every second one. */
export async function writeOwnWorld(place: CliPlace, count: number): Promise<OwnWorld> {
  const names = Array.from({ length: count }, (_, at) => ofService[(at - 1) / 2] ?? ownName(at))
  const known = names.filter((_, at) => at % 2 === 0)
  place.write('companies.csv', `company_name\n${names.join('\n')}\n`)
  place.write('own.csv', `id,name,country\n${known.map((name, at) => `${at},${name},DE\n`).join('')}`)
  const command = ['registry', 'import', 'csv', 'own.csv', '--registry', 'own.sqlite']
  const { code, stderr } = await place.run(command)
  expect([code, stderr]).toEqual([0, expect.anything()])
  const isUnknown = (name: string) => !known.includes(name)
  return { names, known: known.toSorted(), unknown: names.filter(isUnknown).toSorted() }
}

/** The names billed so far, sorted, one for each billed run. */
export const readBilled = (service: Served): Promise<string[]> =>
  service.read((database) =>
    database
      .prepare<[], string>('SELECT name FROM ledger JOIN runs USING (run_number) ORDER BY name')
      .pluck()
      .all()
      .toSorted(),
  )

/** Cells that no two runs, or services, have in common. */
const ofTheRun = ['enrich_run_id', 'enrich_resolved_at', 'enrich_entity_updated_at']

/** The other cells of an output. */
export const readCells = (place: CliPlace, name = 'out.csv'): Record<string, string>[] =>
  rowsOfCsv(place.read(name)).map((row) =>
    Object.fromEntries(Object.entries(row).filter(([column]) => !ofTheRun.includes(column))),
  )
