import { describe, expect, test } from 'vitest'
import type { Decision, KeptDecision } from '../../../src/core/decisions.js'
import { planExchange } from '../../../src/pipeline/decisions/decision-sync.js'

const service = 'https://api.example.com'
const decision = (changes: Partial<Decision> = {}): Decision => ({
  lookup: '0'.repeat(32),
  name: 'Acme Ltd',
  location: 'London',
  verdict: 'accepted',
  entityId: 'siq_1',
  entityName: 'ACME LIMITED',
  decidedBy: 'Ada',
  decidedAtMs: 1_000,
  note: null,
  service,
  ...changes,
})
const kept = (sequence: number, isInFile: boolean, changes: Partial<Decision> = {}): KeptDecision => ({
  ...decision(changes),
  sequence,
  isInFile,
})
const ids = (found: ReadonlyMap<string, Decision>) => [...found.values()].map(({ entityId }) => entityId)

describe('which decisions stand', () => {
  test.each([
    ['nothing decided', null, [], []],
    ['in the store, and no file', null, [kept(1, true)], ['siq_1']],
    ['in the file alone', [decision()], [], ['siq_1']],
    ['in both', [decision()], [kept(1, true)], ['siq_1']],
    ['in the store, never written', [], [kept(1, false)], ['siq_1']],
    ['in the store as written, and gone from the file', [], [kept(1, true)], []],
    ['changed in the file', [decision({ entityId: 'siq_2' })], [kept(1, true)], ['siq_2']],
    [
      'never written, and newer than the line of the file',
      [decision({ entityId: 'siq_2', decidedAtMs: 999 })],
      [kept(1, false)],
      ['siq_1'],
    ],
    [
      'never written, and older than the line of the file',
      [decision({ entityId: 'siq_2', decidedAtMs: 1_001 })],
      [kept(1, false)],
      ['siq_2'],
    ],
    ['of another service', [decision({ service: 'embedded' })], [], []],
    ['of whichever service', [decision({ service: null })], [], ['siq_1']],
  ])('%s', (_, file, standing, expected) => {
    expect(ids(planExchange(service, file, { standing, leaving: [] }).standing)).toEqual(expected)
  })

  test('of equal verdicts the newer counts, wherever its line stands', () => {
    const file = [
      decision({ decidedBy: 'new', decidedAtMs: 5 }),
      decision({ decidedBy: 'old', decidedAtMs: 4 }),
    ]
    const { standing } = planExchange(service, file, { standing: [], leaving: [] })
    expect([...standing.values()].map(({ decidedBy }) => decidedBy)).toEqual(['new'])
  })

  test('what was taken back stands no more, though its line is still in the file', () => {
    const line = decision()
    const { standing, drop } = planExchange(service, [line], { standing: [], leaving: [kept(1, true)] })
    expect([...standing]).toEqual([])
    expect([...drop]).toEqual([line])
  })
})

describe('what file and store tell each other', () => {
  const exchange = (file: Decision[] | null, standing: KeptDecision[], leaving: KeptDecision[] = []) => {
    const { add, drop, adopt, found, gone } = planExchange(service, file, { standing, leaving })
    const sequences = (list: readonly KeptDecision[]) => list.map(({ sequence }) => sequence)
    return {
      add: sequences(add),
      drop: drop.size,
      adopt: adopt.length,
      found: sequences(found),
      gone: sequences(gone),
    }
  }
  const nothing = { add: [], drop: 0, adopt: 0, found: [], gone: [] }

  test.each([
    ['the same in both: nothing', [decision()], [kept(1, true)], [], nothing],
    ['no file: all that stands is written', null, [kept(1, true)], [], { ...nothing, add: [1] }],
    ['never written: it is written', [], [kept(1, false)], [], { ...nothing, add: [1] }],
    [
      'killed before it was noted: it is noted',
      [decision()],
      [kept(1, false)],
      [],
      { ...nothing, found: [1] },
    ],
    ['taken out by somebody: it is gone', [], [kept(1, true)], [], { ...nothing, gone: [1] }],
    ['written by somebody: it is taken in', [decision()], [], [], { ...nothing, adopt: 1 }],
    [
      'changed by somebody: it is taken in',
      [decision({ verdict: 'none', entityId: null })],
      [kept(1, true)],
      [],
      { ...nothing, adopt: 1 },
    ],
    [
      'decided anew: the old line gives way to the new one',
      [decision()],
      [kept(2, false, { entityId: 'siq_2', decidedAtMs: 2_000 })],
      [kept(1, true)],
      { ...nothing, add: [2], drop: 1 },
    ],
    [
      'decided anew, and by somebody in the file: the newer stays',
      [decision({ entityId: 'siq_3', decidedAtMs: 1_500 })],
      [kept(2, false, { entityId: 'siq_2', decidedAtMs: 2_000 })],
      [],
      { ...nothing, add: [2], drop: 1 },
    ],
  ])('%s', (_, file, standing, leaving, expected) => {
    expect(exchange(file, standing, leaving)).toEqual(expected)
  })
})
