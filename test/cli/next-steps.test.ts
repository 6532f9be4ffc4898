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

test.each(['out.csv', 'out.parquet', 'a b.xlsx', 'out.ndjson.gz', 'sqlite:out.sqlite#rows'])(
  'the last line after a run to %s is a command that shows its rows',
  async (output) => {
    const place = createPlace()
    place.write('in.csv', 'company_name\nApple\nX\n')
    const run = await place.run(['in.csv', '-o', output])
    const command = /^ {2}next {6}see the rows: enrich (show \S.*)$/.exec(
      run.stderr.trimEnd().split('\n').at(-1) ?? '',
    )?.[1]
    expect(command).toBe(`show ${/[ #]/.test(output) ? `'${output}'` : output}`)
    const { code, stdout } = await place.run(['show', output])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/: 2 rows, [^]*Apple Inc\. +matched/)])
    const exported = await place.run(['export', 'in.csv', '-o', output])
    expect(exported.stderr.trimEnd().split('\n').at(-1)).toBe(
      `  next      see the rows: enrich ${command ?? ''}`,
    )
  },
)

test('the summary and status count the same doubtful rows, also if none has a company', async () => {
  const place = createPlace()
  place.write('in.csv', 'company_name\nZorvex Quilling\nMivolar Brant\n')
  const { stderr } = await place.run(['in.csv', '-o', 'out.csv'])
  const told = '2 doubtful rows (2 without a company)'
  expect(stderr).toContain(`  next      ${told}: enrich review in.csv\n`)
  expect((await place.run(['status'])).stdout).toContain(`next: ${told} after run 1: enrich review in.csv`)
})

test('a run to standard output, and one that wrote nothing, name no file to show', async () => {
  const place = createPlace()
  place.write('in.csv', 'company_name\nApple\nMicrosoft\n')
  const piped = await place.run(['in.csv', '-o', '-', '--format', 'csv'])
  const stopped = await place.run('in.csv -o out.csv --max-lookups 0 --checkpoint c.sqlite'.split(' '))
  expect([piped.code, stopped.code]).toEqual([0, 8])
  expect(piped.stderr + stopped.stderr).not.toContain('enrich show')
})

test('after standard input, the next step of status pipes it again, and writes the output', async () => {
  const place = createPlace()
  const stdin = 'company_name\nApple\n'
  await place.run(['-', '--input-format', 'csv', '-o', 'out.csv'], { stdin })
  const { stdout } = await place.run(['status'])
  expect(stdout).toContain('  next: nothing left; … | enrich - --input-format … -o … writes the output\n')
  const again = await place.run(['-', '--input-format', 'csv', '-o', 'again.csv'], { stdin })
  expect([again.code, place.read('again.csv')]).toEqual([0, place.read('out.csv')])
})

test('status suggests the command that was run, with a config or with flags, and without the flags for one time', async () => {
  const place = createPlace()
  place.write('in.csv', 'company_name,LEI\nApple,HWUPKR0MPOU8FGXBT394\n')
  place.write(
    'pipeline.config.json',
    JSON.stringify({ input: { paths: ['in.csv'] }, output: { path: 'out.csv' } }),
  )
  const flags = ['in.csv', '-o', 'b c.csv', '--id-columns', 'lei=LEI']
  for (const [argv, command] of [
    [['run'], 'enrich run'],
    [flags, "enrich in.csv -o 'b c.csv' --id-columns lei=LEI"],
    [['retry', '--status', 'failed'], 'enrich run'],
    [[...flags, '--accept-rollback'], "enrich in.csv -o 'b c.csv' --id-columns lei=LEI"],
  ] as const) {
    await place.run([...argv])
    const { stdout } = await place.run(['status'])
    expect(stdout).toContain(`next: nothing left; ${command} writes the output\n`)
  }
})

test('the summary names the countries of many rows without a company, and the registers that help', async () => {
  const place = createPlace()
  place.write('own.csv', 'id,name,country\n1,Larkmoor Foods Limited,GB\n')
  const own = ['--registry', 'own.sqlite']
  await place.run(['registry', 'import', 'csv', 'own.csv', '--id-type', 'registration_id', ...own])
  const list = (countries: readonly string[]) =>
    `company,country\n${countries.map((country, at) => `Zorvex${at} Quil${at * 7}x,${country}\n`).join('')}`
  const run = (...flags: string[]) => place.run(['in.csv', '-o', 'out.csv', ...flags])
  const repeat = (country: string, count: number) => Array<string>(count).fill(country)
  place.write('in.csv', list([...repeat('FR', 8), ...repeat('DE', 6), ...repeat('NO', 4), ...repeat('', 9)]))
  const { stderr } = await run(...own)
  expect(stderr).toContain('  note      no open register covers these rows without a company: Germany 6\n')
  expect(stderr).toContain(
    '  next      rows without a company, in countries whose register is not loaded (France 8): ' +
      'enrich registry get france --registry own.sqlite\n',
  )
  const { stdout } = await run(...own, '--json')
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { next: { command: string }[] }
  expect(last.next.map(({ command }) => command)).toContain(
    'enrich registry get france --registry own.sqlite',
  )
  // With the demo registry, another line suggests registers; few rows, and rows without a country, suggest none.
  expect((await run()).stderr).not.toMatch(/registry get|no open register/)
  place.write('in.csv', list([...repeat('FR', 4), ...repeat('DE', 4), ...repeat('', 30)]))
  expect((await run(...own)).stderr).not.toMatch(/registry get|no open register/)
}, 60_000)
