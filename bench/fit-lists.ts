import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type { FitIndex } from './fit-companies.js'
import { labelledSets, toFitId, type FitQuery, type FitSet } from './fit-data.js'

type Cells = Readonly<Record<string, string>>

/** Reads a labelled list; an id that is not understood is an error, because its row could not be judged. */
export function readFitList(path: string, set: FitSet, weight: number): FitQuery[] {
  const rows: Cells[] = parse(readFileSync(path), { columns: true, bom: true, skip_empty_lines: true })
  return rows.map((row, at) => {
    const cell = (name: string) => (row[name] ?? '').trim()
    const expected = readExpected(cell, `${path}, row ${at + 2}`)
    return {
      set,
      kind: cell('stratum') || set,
      name: cell('query_name'),
      city: cell('city'),
      region: cell('region'),
      postcode: cell('postcode'),
      country: cell('country'),
      isAbsent: cell('expected_scheme') === 'none' || expected.size === 0,
      expected,
      leftOut: new Set(),
      weight,
      operations: [],
    }
  })
}

function readExpected(cell: (name: string) => string, where: string): Set<string> {
  const list = (name: string) =>
    cell(name)
      .split('|')
      .map((text) => text.trim())
      .filter((text) => text !== '')
  const scheme = cell('expected_scheme')
  const stated = scheme === 'none' ? [] : list('expected_any').map((value) => `${scheme}:${value}`)
  return new Set([...stated, ...list('also_right')].map((text) => readId(text, where)))
}

function readId(text: string, where: string): string {
  const at = text.indexOf(':')
  const [scheme, value] = [text.slice(0, at).toLowerCase(), text.slice(at + 1)]
  if (scheme === 'siq') return text
  const type = scheme === 'gb' || scheme === 'gb_company_number' ? 'registration_id' : scheme
  const id = toFitId(type, value, 'gb')
  if (id === null) throw new Error(`${where}: the id "${text}" is not understood`)
  return id
}

/** Reads `dev=PATH`; the sets are those of labelled lists. */
export function readFitLists(arguments_: readonly string[]): FitQuery[] {
  return arguments_.flatMap((text) => {
    const [name = '', path = ''] = text.split('=', 2)
    const set = labelledSets.find((known) => known === name)
    if (set === undefined || path === '')
      throw new Error(`--list "${text}" is not SET=PATH; the sets are ${labelledSets.join(', ')}`)
    return readFitList(path, set, 1)
  })
}

/** Adds all ids of the companies that a list expects: a company has more of them than a list states. */
export function completeExpected(query: FitQuery, index: FitIndex): FitQuery {
  const all = [...query.expected].flatMap((id) => [id, ...(index.byId.get(id)?.ids ?? [])])
  return { ...query, expected: new Set(all) }
}

/** The same query without its company, what is joined with it and its namesakes; `null` if the registry has none. */
export function removeCompany(query: FitQuery, index: FitIndex, weight: number): FitQuery | null {
  const companies = [...new Set([...query.expected].flatMap((id) => index.byId.get(id) ?? []))]
  if (companies.length === 0) return null
  const removed = companies.flatMap((company) => index.listNamesakes(company))
  return {
    ...query,
    set: 'copy',
    isAbsent: true,
    expected: new Set(),
    leftOut: new Set(removed.flatMap(({ ids }) => ids)),
    weight,
  }
}
