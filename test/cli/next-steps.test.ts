import { expect, test } from 'vitest'
import { createPlace, fixture } from '../support/cli.js'

test.each([['--status', 'inconclusive'], ['--status=inconclusive,no_match']])(
  'after retry %s %s, the suggested review has the input alone',
  async (...flags) => {
    const place = createPlace()
    const input = fixture('companies.csv')
    const run = await place.run([input, '-o', 'out.csv'])
    const retry = await place.run(['retry', input, '-o', 'out.csv', ...flags.filter(Boolean)])
    const suggestion = /next .*: (enrich review .*)$/m
    expect(suggestion.exec(run.stderr)?.[1]).toBe(`enrich review ${input}`)
    expect(suggestion.exec(retry.stderr)?.[1]).toBe(`enrich review ${input}`)
  },
)

test('after standard input, the next step of status pipes it again, and writes the output', async () => {
  const place = createPlace()
  const stdin = 'company_name\nApple\n'
  await place.run(['-', '--input-format', 'csv', '-o', 'out.csv'], { stdin })
  const { stdout } = await place.run(['status'])
  expect(stdout).toContain('  next: nothing left; … | enrich - --input-format … -o … writes the output\n')
  const again = await place.run(['-', '--input-format', 'csv', '-o', 'again.csv'], { stdin })
  expect([again.code, place.read('again.csv')]).toEqual([0, place.read('out.csv')])
})
