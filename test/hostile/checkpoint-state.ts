import { expect } from 'vitest'
import { lookupStates, type LookupState } from '../../src/core/lookup-state.js'
import { loadDriver } from '../../src/platform/sqlite.js'

const Database = loadDriver()

/**
 * Lookups by name in their states, read by plain SQLite: the file is whole, nothing hangs between two states,
 * and every submission was settled.
 */
export function intactStates(path: string): Record<string, LookupState> {
  const database = new Database(path, { readonly: true })
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.pragma('foreign_key_check')).toEqual([])
    const lookups = database.prepare('SELECT name, state FROM lookups').all() as {
      name: string
      state: LookupState
    }[]
    for (const { state } of lookups) expect(lookupStates).toContain(state)
    expect(lookups.filter(({ state }) => state === 'intended')).toEqual([])
    const verdicts = database.prepare('SELECT DISTINCT verdict FROM submissions').pluck().all()
    for (const verdict of verdicts)
      expect(['accepted', 'uncertain', 'not_created', 'rejected']).toContain(verdict)
    const answered = database.prepare('SELECT count(*) FROM answers').pluck().get()
    expect(lookups.filter(({ state }) => state === 'answered' || state === 'failed')).toHaveLength(
      Number(answered),
    )
    return Object.fromEntries(lookups.map(({ name, state }) => [name, state]))
  } finally {
    database.close()
  }
}
