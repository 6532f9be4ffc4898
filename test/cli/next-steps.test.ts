import { describe, expect, test } from 'vitest'
import { createPlace } from '../support/cli.js'

test.each([[['--status', 'inconclusive']], [['--status=inconclusive,no_match']]])(
  'after retry %j, the suggested review has the input alone',
  async (flags) => {
    const place = createPlace()
    const input = place.write('in.csv', 'company,city\nApple,London\nNetflicks,Los Gatos\nApple,Cupertino\n')
    const run = await place.run([input, '-o', 'out.csv'])
    const retry = await place.run(['retry', input, '-o', 'out.csv', ...flags])
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

describe('rows without a company in a registry', () => {
  const own = ['--registry', 'own.sqlite']
  const note = /note +no company found, and no open register known for these countries: (.*)/
  const step = /next +(load registers for rows without a company.*): (enrich registry .*)/

  async function summarize(
    countries: readonly string[],
    flags: readonly string[] = [],
    name = 'company',
    held: readonly string[] = ['GB'],
  ) {
    const place = createPlace()
    const companies = held.map((country, at) => `${at + 1},Larkmoor Foods ${at} Limited,${country}\n`)
    place.write('own.csv', `id,name,country\n${companies.join('')}`)
    await place.run(['registry', 'import', 'csv', 'own.csv', '--id-type', 'registration_id', ...own])
    const rows = countries.map((country, at) => `Zorvex${at} Quil${at * 7}x,${country}\n`)
    place.write('in.csv', `${name},country\n${rows.join('')}`)
    const { code, stdout, stderr } = await place.run(['in.csv', '-o', 'out.csv', ...own, ...flags])
    expect([code, stderr]).toEqual([0, expect.stringContaining('Done in')])
    const [, text, command] = step.exec(stderr) ?? []
    return { place, stdout, stderr, without: note.exec(stderr)?.[1], text, command }
  }
  const repeat = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).flatMap(([country, count]) => Array<string>(count).fill(country))

  test('have the country of their numbers, not one with the letters of their town', async () => {
    const place = createPlace()
    place.write('own.csv', 'id,name,country\n1,Larkmoor Foods Limited,GB\n')
    await place.run(['registry', 'import', 'csv', 'own.csv', '--id-type', 'registration_id', ...own])
    place.write('in.csv', 'Tên công ty,Mã số thuế,Tỉnh/TP\nZorvex,0100109106,HN\nQuilax,0300588569,HP\n')
    const { stderr } = await place.run(['in.csv', '-o', 'out.csv', ...own])
    expect(note.exec(stderr)?.[1]).toBe('Viet Nam 2')
  })

  test('name every country that no open register covers, and the registers that are not loaded', async () => {
    const counts = { NO: 2, SE: 4, DE: 2, DK: 1, FI: 1, '': 3 }
    const { stdout, without, text, command } = await summarize(repeat(counts), ['--json'])
    expect(without).toBe('Sweden 4, Germany 2, Denmark 1')
    expect(text).toBe('load registers for rows without a company (Norway 2, Finland 1)')
    expect(command).toBe('enrich registry get gleif norway finland --registry own.sqlite')
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as { next: { command: string }[] }
    expect(last.next.map((one) => one.command)).toContain(command)
  })

  test('name no country for one letter in the town of a broken row', async () => {
    const { place } = await summarize(['SE'])
    place.write('in.csv', 'name,city,country\nZorvex Quilx,b\nNorvex Quarb,"Larkmoor",D\nVelmox Quild,,B\n')
    const { stderr } = await place.run(['in.csv', '-o', 'out2.csv', ...own])
    expect(note.exec(stderr)?.[1]?.split(', ').sort()).toEqual(['Belgium 1', 'Germany 1'])
  })

  test('with more than five countries, name the five with most rows', async () => {
    const { without } = await summarize(repeat({ SE: 3, DE: 2, DK: 2, IT: 2, ES: 2, NL: 1, PL: 1 }))
    expect(without).toBe('Sweden 3, Germany 2, Denmark 2, Spain 2, Italy 2 and 2 more countries')
  })

  test('with more than three registers, or one that is downloaded by hand, suggest to list them', async () => {
    for (const counts of [{ NO: 2, FI: 1, FR: 1 }, { JP: 1 }])
      expect((await summarize(repeat(counts))).command).toBe(
        'enrich registry sources in.csv --registry own.sqlite',
      )
  })

  test('suggest a list command that reads the list like the run, and finds the same countries', async () => {
    for (const [name, flags, typed] of [
      ['wer', ['--name-column', 'wer'], '--name-column wer'],
      [
        'Der Name',
        ['--name-column=Der Name', '--encoding', 'utf-8'],
        "'--name-column=Der Name' --encoding utf-8",
      ],
    ] as const) {
      const { place, command } = await summarize(repeat({ JP: 2 }), flags, name)
      expect(command).toBe(`enrich registry sources in.csv ${typed} --registry own.sqlite`)
      const listing = ['registry', 'sources', 'in.csv', ...flags, ...own]
      expect((await place.run(listing)).stdout).toMatch(/ 2 {2}Japan +japan\n/)
      const demo = await place.run(['in.csv', '-o', 'demo.csv', '--checkpoint', 'demo.sqlite', ...flags])
      expect(demo.stderr).toContain(`enrich registry sources in.csv ${typed} `)
      expect(demo.stderr).not.toMatch(/registry get|no open register/)
    }
  })

  test('a country of which an own register holds as many companies has a register', async () => {
    // Country and number of companies of the own file, rows of the list, countries of the note.
    for (const [held, asked, expected] of [
      [{ SE: 5 }, { SE: 4, DK: 1 }, 'Denmark 1'],
      [{ DE: 3, IT: 3 }, { DE: 2, IT: 3, ES: 1 }, 'Spain 1'],
      // A customer's list holds few companies of the country.
      [{ GB: 40, DE: 3 }, { DE: 2 }, 'Germany 2'],
      [{ SE: 2 }, { SE: 4 }, 'Sweden 4'],
      [{ SE: 4 }, { SE: 4 }, undefined],
    ] as const) {
      const { place, without } = await summarize(repeat(asked), [], 'company', repeat(held))
      expect(without).toBe(expected)
      const listing = await place.run(['registry', 'sources', 'in.csv', ...own])
      for (const [country, name] of [
        ['SE', 'Sweden'],
        ['DE', 'Germany'],
      ] as const)
        if (country in asked)
          expect(listing.stdout).toMatch(
            new RegExp(`${name} +${expected?.includes(name) === true ? 'no open register: ' : 'own.csv\\n'}`),
          )
    }
  })

  test('of no country suggest the register of all countries only', async () => {
    const { without, text, command } = await summarize(repeat({ '': 1 }))
    expect(without).toBeUndefined()
    expect(text).toBe('load registers for rows without a company')
    expect(command).toBe('enrich registry get gleif --registry own.sqlite')
  })

  test.each([
    ['TH', { TH: 2 }, { TH: 4 }],
    ['unknown', { '': 2 }, { TH: 4 }],
    ['both', { '': 1, TH: 2 }, { TH: 4 }],
  ])('of a country with an own register suggest no register: %s', async (_, asked, held) => {
    const { text, without } = await summarize(repeat(asked), [], 'company', repeat(held))
    expect([text, without]).toEqual([undefined, undefined])
  })
})

describe('--country is suggested for a registry of one country', () => {
  const hint =
    'Some rows state no country in their place, and all companies of your registry are of CL. If these rows are of CL too, pass --country CL.'

  test.each([
    ['if a row lacks a country', 'company_name,country\nZorvex SpA,Chile\nBolt SpA,\n', [], true],
    ['if no column has countries', 'company_name,city\nZorvex SpA,Arica\n', [], true],
    ['not if every row has a country', 'company_name,country\nZorvex SpA,Chile\nBolt SpA,Peru\n', [], false],
    ['not if every place ends with one', 'company_name,location\nZorvex SpA,"Arica, Chile"\n', [], false],
    [
      'not for a row with a country that is no known name',
      'company_name,country\nZorvex SpA,Chile\nBolt SpA,Elbonia\n',
      [],
      false,
    ],
    ['not for a row that is not looked up', 'company_name,country\nZorvex SpA,Chile\n,\n', [], false],
    ['not with --country', 'company_name,city\nZorvex SpA,Arica\n', ['--country', 'CL'], false],
  ] as const)('%s', async (_when, rows, flags, isShown) => {
    const place = createPlace()
    place.write('own.csv', 'id,name\n1,Zorvex SpA\n')
    const own = ['--registry', 'own.sqlite']
    const typed = 'registry import csv own.csv --id-type registration_id --jurisdiction cl'.split(' ')
    await place.run([...typed, ...own])
    place.write('in.csv', rows)
    const { code, stderr } = await place.run(['in.csv', '-o', 'out.csv', ...own, ...flags])
    expect([code, stderr.includes(hint)]).toEqual([0, isShown])
  })
})
