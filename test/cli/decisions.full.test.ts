import { readFileSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Decision } from '../../src/core/decisions.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import { decided, decidedNone, writeDecisions } from '../support/decisions.js'
import { rowsOfCsv } from '../support/tables.js'

const doubtful = 'Zzqx Vrbnk Ltd'
const list = `company_name,city\nApple Inc.,\n${doubtful},Rome\nMicrosoft Corporation,\n`

let place: CliPlace

beforeEach(() => {
  place = createPlace()
  place.write('companies.csv', list)
})

const rows = (name = 'out.csv') => rowsOfCsv(readFileSync(place.path(name)))
const decide = (...decisions: readonly Decision[]) => {
  writeDecisions(place.path('enrich.decisions.csv'), decisions)
}
const run = (...args: string[]) => place.run(args)

/** What the shipped registry knows Apple by: the company that the doubtful row is decided to be. */
async function appleOf(): Promise<{ entityId: string; entityName: string }> {
  await run('companies.csv', '-o', 'out.csv')
  const [apple] = rows()
  return { entityId: apple?.['enrich_entity_id'] ?? '', entityName: apple?.['enrich_legal_name'] ?? '' }
}

describe('enrich.decisions.csv in the folder', () => {
  test('is honoured by run, plan, status and export, each of which says how many are decided', async () => {
    const apple = await appleOf()
    expect(rows().map((row) => row['enrich_status'])).toEqual(['matched', 'no_match', 'matched'])
    decide(decided(doubtful, 'Rome', { ...apple, note: '=SUM(1)' }), decidedNone('Microsoft Corporation', ''))

    const plan = await run('plan', 'companies.csv')
    expect(plan.stdout).toContain('  2    decided by reviewers')
    expect(plan.stdout).toContain('  entity     1 to request')
    const json = JSON.parse((await run('plan', 'companies.csv', '--json')).stdout) as Record<string, unknown>
    expect(json).toMatchObject({ lookupCount: 3, plan: { answered: 1, decided: 2, submit: 0 } })

    // What is not read yet is told as that.
    const early = await run('export', 'companies.csv', '-o', 'known.csv')
    expect(early.stderr).toContain('note: 1 accepted company has only the id and the name')
    expect(rows('known.csv')[1]).toMatchObject({
      enrich_status: 'matched',
      enrich_entity_id: apple.entityId,
      enrich_display_name: apple.entityName,
      enrich_error:
        'a reviewer accepted this company; its record is missing (not submitted yet): start a run to request it',
    })

    const told = await run('companies.csv', '-o', 'out.csv')
    expect([told.code, told.stderr]).toEqual([0, expect.stringContaining('2 decided by reviewers')])
    expect(told.stderr).toMatch(/^ {2}entity {4}1 company · 1 submitted, free of charge · complete 1$/m)
    const whole = rows()
    expect(
      whole.map((row) => [row['enrich_status'], row['enrich_entity_id'], row['enrich_decision']]),
    ).toEqual([
      ['matched', apple.entityId, ''],
      ['matched', apple.entityId, 'accepted'],
      ['no_match', '', 'none'],
    ])
    expect(whole[1]?.['enrich_legal_name']).toBe(apple.entityName)
    const late = await run('export', 'companies.csv', '-o', 'known.csv')
    expect(late.stderr).not.toContain('only the id and the name')
    expect(rows('known.csv')).toEqual(whole)

    const status = await run('status')
    expect(status.stdout).toContain(
      '2  of them decided by reviewers (accepted 1 · none 1): not submitted again',
    )
    const listed = JSON.parse((await run('runs', '--json')).stdout.trimEnd().split('\n').at(0) ?? '') as {
      record: { summary: object }
    }
    expect(listed.record.summary).toMatchObject({ decidedCount: 2 })
  })

  test('A decided lookup that was never submitted is not counted as one to submit', async () => {
    const apple = await appleOf()
    decide(decided('Zorvex Ltd', 'Rome', { ...apple, note: '' }), decidedNone('Bolt Works', ''))
    place.write('more.csv', 'company_name,city\nZorvex Ltd,Rome\nBolt Works,\n')
    await run('more.csv', '-o', 'more-out.csv')
    const { stdout } = await run('status')
    expect(stdout).toContain('2  of them decided by reviewers')
    expect(stdout).not.toContain('not submitted yet')
    expect(stdout).not.toContain('submits and fetches only what is missing')
  })

  test('that is wrong stops a run before anything is asked, with the line; status still says what is known', async () => {
    await appleOf()
    writeFileSync(place.path('enrich.decisions.csv'), 'lookup,colour\n')
    const refused = await run('companies.csv', '-o', 'new.csv')
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('error DECISIONS_INVALID: the decisions file enrich.decisions.csv, line 1'),
    ])
    expect(place.names()).not.toContain('new.csv')
    expect((await run('plan', 'companies.csv')).code).toBe(2)
    const status = await run('status')
    expect([status.code, status.stdout, status.stderr]).toEqual([
      0,
      expect.stringContaining('answered'),
      expect.stringContaining('warning DECISIONS_INVALID'),
    ])
  })

  test('may be missing, unless it is named', async () => {
    const { code, stderr } = await run('companies.csv', '-o', 'out.csv')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('decided')])
    const named = await run('companies.csv', '-o', 'out.csv', '--decisions', 'ours.csv')
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('error DECISIONS_NOT_FOUND')])
  })
})
