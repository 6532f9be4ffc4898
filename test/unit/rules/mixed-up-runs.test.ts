import { describe, expect, test } from 'vitest'
import { SwappedRunDetector, type HeldAnswer } from '../../../src/pipeline/answers/misdirected.js'

const answer = (runId: string, customId: string | null, name: string | null) => ({
  run_id: runId,
  status: 'COMPLETED',
  custom_id: customId,
  data: { status: 'matched', metadata: { query: { name } } },
})

/** Acme holds the run of Bolt. */
const ofAcme = (run = answer('run_b', 'id_b', 'BOLT')): HeldAnswer => ({
  lookupId: 1,
  runId: 'run_b',
  customId: 'id_a',
  name: 'Acme',
  run,
  failed: false,
})
/** And Bolt holds that of Acme. */
const ofBolt = (run = answer('run_a', 'id_a', 'Acme')): HeldAnswer => ({
  lookupId: 2,
  runId: 'run_a',
  customId: 'id_b',
  name: 'Bolt',
  run,
  failed: false,
})

const noteAll = (runs: SwappedRunDetector, ...answers: HeldAnswer[]) =>
  answers.map((held) => runs.note(held)).at(-1)
const thrice = (held: HeldAnswer) => [held, held, held]

describe('runs that the service mixed up', () => {
  test('are told by three answers in a row to each that prove to be the other one’s', () => {
    const runs = new SwappedRunDetector()
    expect(noteAll(runs, ...thrice(ofAcme()), ofBolt(), ofBolt())).toBeNull()
    expect(runs.note(ofBolt())).toMatchObject([{ lookupId: 2 }, { lookupId: 1 }])
  })

  test('are not told where only one of the two is proved', () => {
    expect(noteAll(new SwappedRunDetector(), ...thrice(ofAcme()), ...thrice(ofAcme()))).toBeNull()
    const toThird = ofBolt(answer('run_a', 'id_c', 'Cargo'))
    expect(noteAll(new SwappedRunDetector(), ...thrice(ofAcme()), ...thrice(toThird))).toBeNull()
  })

  test.each([
    ['without a custom_id', answer('run_a', null, 'Acme')],
    ['without the name', answer('run_a', 'id_a', null)],
    ['with another name', answer('run_a', 'id_a', 'Cargo')],
  ])('are not told by an answer %s', (_, run) => {
    expect(noteAll(new SwappedRunDetector(), ...thrice(ofAcme()), ...thrice(ofBolt(run)))).toBeNull()
  })

  test('an answer of its own in between, or that to another run, begins the row again', () => {
    const runs = new SwappedRunDetector()
    noteAll(runs, ...thrice(ofAcme()), ofBolt(), ofBolt())
    runs.forget('id_b')
    expect(noteAll(runs, ofBolt(), ofBolt())).toBeNull()
    expect(noteAll(runs, { ...ofBolt(), runId: 'run_z' }, { ...ofBolt(), runId: 'run_z' })).toBeNull()
  })
})
