import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { version } from '../../src/platform/native-package.js'
import { commandNames, type CliIo } from '../../src/cli/terminal/command-io.js'
import optionWords from '../../src/cli/option-words.json' with { type: 'json' }
import { suggestOption } from '../../src/cli/run-help.js'
import { createProgram } from '../../src/cli/program.js'
import { canary, companiesCsv, createPlace, fixture, type CliPlace } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import { leiOf } from '../support/made-identifiers.js'
import { rowsOfCsv } from '../support/tables.js'
import { readJsonLines } from '../support/json-lines.js'

const command = ['companies.csv', '-o', 'out.csv']

const jsonOf = (text: string) => JSON.parse(text) as Record<string, unknown>

describe('plan', () => {
  test('counts rows and lookups, needs no key, reaches no network and makes no file', async () => {
    const { place, service } = await createHostedPlace(['Acme', 'Bolt', 'ACME', ''])
    const options = { env: { ENRICH_BASE_URL: service.baseUrl, ENRICH_API_KEY: '' } }
    const before = place.names()
    const { code, stdout, stderr } = await place.run(['plan', 'companies.csv'], options)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^ {2}4 {2}rows$/m)
    expect(stdout).toMatch(/^ {2}2 {2}distinct lookups/m)
    expect(stdout).toMatch(/^Cost: 2 lookups, each billed once$/m)
    expect(stdout).toMatch(/^Next: enrich companies\.csv -o out\.parquet$/m)
    const json = jsonOf(
      (await place.run(['plan', 'companies.csv', '--json', '--max-lookups', '1'], options)).stdout,
    )
    expect(json).toMatchObject({
      rowCount: 4,
      invalidRowCount: 1,
      lookupCount: 2,
      plan: { submit: 2, answered: 0 },
      billedMax: 1,
      isHosted: true,
    })
    expect([place.names(), existsSync(place.path('.enrich')), service.requests]).toEqual([before, false, []])
  })

  test('without arguments names the run without arguments', async () => {
    const { place } = await createHostedPlace(['Acme'])
    const config = { input: { paths: ['companies.csv'] }, output: { path: 'out.csv' } }
    place.write('pipeline.config.json', JSON.stringify(config))
    expect((await place.run(['plan'])).stdout).toMatch(/^Next: enrich run$/m)
  })

  test('after a run there is nothing to submit', async () => {
    const { place, hosted } = await createHostedPlace(['Acme', 'Bolt'])
    await place.run(command, hosted)
    const { stdout } = await place.run(['plan', ...command, '--json'], hosted)
    expect(jsonOf(stdout)).toMatchObject({ plan: { submit: 0, answered: 2 }, billedMax: 0 })
  })
})

describe('the end of a run names the next steps', () => {
  const rows = 'Apple Inc.,Cupertino\nSome Unknown Bakery,Hull\nAnother Unknown One,Hull'
  const flags = ['in.csv', '-o', 'out.csv', '--name-column', 'company_name', '--max-age', '90d']
  /** The steps before the last one, which shows the rows. */
  const stepsOf = (text: string, named = ' --name-column company_name') => {
    const steps = text.split('\n').filter((line) => line.startsWith('  next '))
    expect(steps.pop()).toBe(`  next      see the rows: enrich show out.csv${named}`)
    return steps
  }

  test('what is left to review, and that the demo registry is small', async () => {
    const place = createPlace()
    place.write('in.csv', `company_name,city\n${rows}\nApple,London\n`)
    const { stderr, stdout } = await place.run([...flags, '--json'])
    const steps = (jsonOf(stdout.trimEnd().split('\n').at(-1) ?? '') as { next: { command: string }[] }).next
    const review = 'enrich review in.csv --name-column company_name'
    expect(steps).toEqual([
      { text: '3 doubtful rows (2 without a company)', command: review, page: null },
      {
        text: '2 of 4 rows without a company in the demo registry',
        command: 'enrich registry sources in.csv --name-column company_name',
        page: 'docs/manual/registers.md#which-register-helps',
      },
      { text: 'see the rows', command: 'enrich show out.csv --name-column company_name', page: null },
    ])
    expect(stepsOf(stderr)).toEqual([
      `  next      3 doubtful rows (2 without a company): ${review}`,
      `  next      2 of 4 rows without a company in the demo registry: enrich registry sources in.csv --name-column company_name   (see ${fixture('../docs/manual/registers.md')})`,
    ])
    const [, ...reviewWords] = review.split(' ')
    const exported = await place.run([...reviewWords, '--export', 'todo.csv'])
    expect([exported.code, exported.stderr]).toEqual([
      0,
      expect.stringContaining('3 doubtful lookups (3 rows)'),
    ])
    expect((await place.run([...flags, '--quiet'])).stderr).toBe('')
    const [decided] = rowsOfCsv(place.read('todo.csv').replace('\ufeff', '')).filter(
      ({ status }) => status === 'no_match',
    )
    place.write('done.csv', `lookup,verdict\n${decided?.['lookup'] ?? ''},none\n`)
    expect((await place.run([...reviewWords, '--import', 'done.csv'])).code).toBe(0)
    expect(stepsOf((await place.run(flags)).stderr)).toEqual([
      `  next      2 doubtful rows (1 without a company): ${review}`,
      expect.stringContaining('1 of 4 rows without a company in the demo registry'),
    ])
  })

  test('none where every row is found; of another registry, the review and registers; of a service, only the review', async () => {
    const place = createPlace()
    place.write('in.csv', 'company_name,city\nApple Inc.,Cupertino\n')
    expect(stepsOf((await place.run(flags)).stderr)).toEqual([])
    place.write('register.csv', 'lei,name,city,country\nHWUPKR0MPOU8FGXBT394,Apple Inc.,Cupertino,US\n')
    expect(
      (
        await place.run([
          'registry',
          'import',
          'csv',
          'register.csv',
          '--id-type',
          'lei',
          '--map',
          'id=lei,name=name,city=city,country=country',
        ])
      ).code,
    ).toBe(0)
    place.write('in.csv', `company_name,city\n${rows}\n`)
    const review =
      '  next      2 doubtful rows (2 without a company): enrich review in.csv --name-column company_name'
    expect(stepsOf((await place.run(flags)).stderr)).toEqual([
      review,
      '  next      load registers for rows without a company: enrich registry get gleif',
    ])
    const { place: other, hosted } = await createHostedPlace(['Acme', 'Bolt'])
    const stopped = await other.run([...command, '--max-lookups', '1', '--partial'], hosted)
    expect(stepsOf(stopped.stderr, '')).toEqual([])
    expect(stepsOf((await other.run(command, hosted)).stderr, '')).toEqual([
      '  next      2 doubtful rows (2 without a company): enrich review companies.csv',
    ])
  })
})

describe('status, export and retry', () => {
  test('before any run, status and export say that there is no checkpoint', async () => {
    const { place, hosted } = await createHostedPlace(['Acme'])
    for (const args of [['status'], ['export', ...command]]) {
      const { code, stderr } = await place.run(args, hosted)
      expect([code, stderr]).toEqual([2, expect.stringContaining('error CHECKPOINT_NOT_FOUND: ')])
    }
    expect(place.names()).not.toContain('out.csv')
  })

  test('a run that stopped early: status counts what is left, export writes what is known', async () => {
    const { place, hosted, service } = await createHostedPlace(['Acme', 'Bolt', 'Corp'])
    const stopped = await place.run([...command, '--max-lookups', '2'], hosted)
    expect([stopped.code, place.names()]).toEqual([8, ['companies.csv', 'pipeline.config.json']])
    expect(stopped.stderr).toMatch(/^error LOOKUPS_MAX_REACHED: .*\n {2}hint: /m)
    const status = await place.run(['status'], hosted)
    expect(status.stdout).toMatch(/2 {2}answered \(no_match 2\)\n {10}1 {2}not submitted yet/)
    const requestCount = service.requests.length
    expect((await place.run(['export', ...command], hosted)).code).toBe(0)
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_status'])).toEqual([
      'no_match',
      'no_match',
      'pending',
    ])
    expect(service.requests).toHaveLength(requestCount)
    const partial = await place.run([...command, '--max-lookups', '0', '--partial'], hosted)
    expect(partial.code).toBe(8)
    expect(rowsOfCsv(place.read('out.csv'))).toHaveLength(3)
  })

  test('a lost answer is held: status lists it by its custom_id, and only --resubmit-uncertain asks again', async () => {
    let lost = 0
    const { place, hosted, service } = await createHostedPlace(['Acme'], {
      faults: ({ method }) => (method === 'POST' && lost++ === 0 ? 'accept_then_reset' : undefined),
    })
    expect((await place.run(command, hosted)).code).toBe(3)
    const { stdout } = await place.run(['status', '--uncertain'], hosted)
    expect(stdout).toContain(`Acme (Lyon)  ${service.runs[0]!.customId!}`)
    expect((await place.run(command, hosted)).code).toBe(3)
    expect(service.runs).toHaveLength(1)
    const refused = await place.run(['retry', ...command, '--status', 'uncertain'], hosted)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--resubmit-uncertain')])
    expect((await place.run([...command, '--resubmit-uncertain'], hosted)).code).toBe(0)
    expect(service.runs).toHaveLength(2)
  })
})

describe('doctor', () => {
  const failuresOf = (stdout: string) =>
    [...stdout.matchAll(/^FAIL +(\w+) +(?:not checked: \w+ fails with )?(\w+)(?=:|$)/gm)].map((match) =>
      match.slice(1),
    )

  test('without a hosted service it looks at the registry, with one at the key and the service', async () => {
    const { place, hosted, service } = await createHostedPlace(['Acme'])
    const embedded = await place.run(['doctor'])
    expect([embedded.code, failuresOf(embedded.stdout)]).toEqual([0, []])
    expect(embedded.stdout).toMatch(/^ok +registry .*companies$/m)
    const { code, stdout } = await place.run(['doctor'], hosted)
    expect([code, failuresOf(stdout)]).toEqual([0, []])
    expect(stdout).toMatch(/^ok +service .*accepts the key$/m)
    expect(service.runs).toEqual([])
  })

  test('in a new folder it makes an empty checkpoint, and leaves nothing else', async () => {
    const place = createPlace()
    expect((await place.run(['doctor'])).code).toBe(0)
    expect(place.namesIn('.enrich')).toEqual(['checkpoint.sqlite'])
  })

  test('each thing that is wrong is named, with the exit code that a run would end with', async () => {
    const { place, hosted } = await createHostedPlace(['Acme'])
    const wrongKey = await place.run(['doctor'], { env: { ...hosted.env, ENRICH_API_KEY: 'another' } })
    expect([wrongKey.code, failuresOf(wrongKey.stdout)]).toEqual([4, [['service', 'SERVICE_REFUSED']]])
    const nobody = await place.run(['doctor', '--base-url', 'http://127.0.0.1:1'])
    expect([nobody.code, failuresOf(nobody.stdout)]).toEqual([5, [['service', 'SERVICE_UNREACHABLE']]])
    const noKey = await place.run(['doctor', '--checkpoint', 'companies.csv/c'], {
      env: { ...hosted.env, ENRICH_API_KEY: '' },
    })
    expect([noKey.code, failuresOf(noKey.stdout)]).toEqual([
      2,
      [
        ['key', 'API_KEY_MISSING'],
        ['service', 'API_KEY_MISSING'],
        ['checkpoint', 'CHECKPOINT_UNWRITABLE'],
      ],
    ])
    const output = await place.run(['doctor', 'companies.csv', '-o', 'missing/out.csv'])
    expect([output.code, failuresOf(output.stdout)]).toEqual([2, [['output', 'OUTPUT_UNWRITABLE']]])
    const config = await place.run(['doctor', '--config', 'companies.csv'])
    expect([config.code, failuresOf(config.stdout)]).toEqual([2, [['config', 'CONFIG_NOT_JSON']]])
  })
})

describe('serve', () => {
  test('needs a key, and a port that is free', async () => {
    const place = createPlace()
    const keyless = await place.run(['serve', '--listen', '127.0.0.1:0'])
    expect([keyless.code, keyless.stderr]).toEqual([2, expect.stringContaining('ENRICH_SERVE_API_KEY')])
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const taken = await place.run(['serve', '--listen', `127.0.0.1:${port}`], {
      env: { ENRICH_SERVE_API_KEY: canary },
    })
    other.close()
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('error LISTEN_FAILED: ')])
  })

  test('does not answer from a registry without companies', async () => {
    const place = createPlace()
    place.write('header.csv', 'id,name\n')
    const imported =
      'registry import csv header.csv --id-type record --map id=id,name=name --registry own.sqlite'
    expect(await place.run(imported.split(' '))).toMatchObject({ code: 0 })
    const { code, stderr } = await place.run(
      ['serve', '--listen', '127.0.0.1:0', '--registry', 'own.sqlite'],
      { env: { ENRICH_SERVE_API_KEY: canary } },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('error REGISTRY_EMPTY: own.sqlite ')])
  })

  test('speaks to OpenRefine where it is told to, and says where', async () => {
    const place = createPlace()
    const running = place.start(
      ['serve', '--listen', '127.0.0.1:0', '--reconcile', '--reconcile-origin', 'https://refine.example.com'],
      { env: { ENRICH_SERVE_API_KEY: canary } },
    )
    const [, address = ''] = await running.sees(/Reconciliation, for OpenRefine: (http:\S+)/)
    const manifest = await fetch(address, { headers: { origin: 'https://refine.example.com' } })
    expect(manifest.headers.get('access-control-allow-origin')).toBe('https://refine.example.com')
    expect(await manifest.json()).toMatchObject({ versions: ['0.2'], batchSize: 50 })
    const queries = '{"q0":{"query":"Apple Inc","properties":[{"pid":"city","v":"Cupertino"}]}}'
    const asked = await fetch(address, { method: 'POST', body: new URLSearchParams({ queries }) })
    expect(await asked.json()).toMatchObject({ q0: { result: [{ name: 'Apple Inc.', match: true }] } })
    running.child.kill('SIGTERM')
    const { code, stderr } = await running.ended
    expect([code, stderr.includes(canary)]).toEqual([0, false])
  })

  test.each<[string, readonly string[], RegExp]>([
    [
      'all the world without a key',
      ['--listen', '0.0.0.0:0', '--reconcile', 'local'],
      /error USAGE_INVALID: .*0\.0\.0\.0/,
    ],
    [
      'pages of nobody',
      ['--reconcile-origin', 'https://refine.example.com'],
      /error USAGE_INVALID: .*--reconcile\b/,
    ],
    [
      'an address in place of an origin',
      ['--reconcile', '--reconcile-origin', 'https://a.example/b'],
      /It must be an origin/,
    ],
    [
      'a name in place of an origin',
      ['--reconcile', '--reconcile-origin', 'refine.example.com'],
      /It must be an origin/,
    ],
    ['somebody else', ['--reconcile', 'maybe'], /local, key/],
  ])('does not reconcile for %s', async (_what, flags, says) => {
    const place = createPlace()
    const { code, stderr } = await place.run(['serve', '--listen', '127.0.0.1:0', ...flags], {
      env: { ENRICH_SERVE_API_KEY: canary },
    })
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
  })
})

describe('registry', () => {
  test('a CSV that is imported is seen, found, and answers a run', async () => {
    const place = createPlace()
    place.write('register.csv', 'No,Firm,Town\n0012,Zzyzx Widgets GmbH,Bonn\n0013,,Bonn\n')
    const imported = await place.run([
      'registry',
      'import',
      'csv',
      'register.csv',
      '--id-type',
      'registration_id',
      '--map',
      'id=No,name=Firm,city=Town',
      '--country',
      'DE',
    ])
    expect(imported.code).toBe(0)
    expect(imported.stdout).toMatch(/new +1\n.*updated +0\n.*rejected +1/)
    const info = jsonOf((await place.run(['registry', 'info', '--json'])).stdout)
    expect(info).toMatchObject({ entityCount: 1 })
    expect((await place.run(['registry', 'search', 'zzyzx'])).stdout).toContain('Zzyzx Widgets GmbH')
    place.write('in.csv', 'company,city\nZzyzx Widgets,Bonn\n')
    const run = await place.run(['in.csv', '-o', 'out.ndjson'])
    expect(run.stderr).toContain('.enrich/registry.sqlite (1 company)')
    expect(readJsonLines(place.read('out.ndjson'))[0]).toMatchObject({
      enrich_status: 'matched',
      enrich_registration_id: '0012',
    })
  })

  test('an import warns if companies that were active have unknown status words now', async () => {
    const place = createPlace()
    const load = async (statuses: readonly string[], ...flags: readonly string[]) => {
      const rows = statuses.map((status, at) => `001${at},Larkmoor ${'ABC'[at] ?? ''} GmbH,${status}`)
      place.write('register.csv', ['No,Firm,Status', ...rows, ''].join('\n'))
      const map = [
        '--id-type',
        'registration_id',
        '--map',
        'id=No,name=Firm,status=Status',
        '--country',
        'DE',
      ]
      return place.run(['registry', 'import', 'csv', 'register.csv', ...map, ...flags])
    }
    await load(['active', 'active', 'Zzyzx'])
    const next = await load(['Qqqx', 'active', 'Zzyzx'])
    expect(next.code).toBe(0)
    expect(next.stderr).toMatch(/Warning: 1 company was active, .*"Qqqx"/)
    expect(next.stdout).toMatch(/updated +3\n +changed +1 /)
    const same = await load(['Qqqx', 'active', 'Zzyzx '], '--json')
    expect(same.stderr).not.toContain('Warning')
    expect(jsonOf(same.stdout)).toMatchObject({ updatedCount: 3, changedCount: 0, statusLostCount: 0 })
  })

  test.each([
    ['registry', ['import', 'load', 'evaluate', 'info', 'search']],
    ['accounts', ['list', 'show', 'add', 'keys', 'secrets']],
    ['checkpoint', ['verify', 'repair', 'compact', 'migrate']],
  ])('%s without a command lists its commands as a mistake', async (group, names) => {
    const list = new RegExp(names.map((name) => `^  ${name} +\\S[^]*`).join(''), 'm')
    const { code, stdout, stderr } = await createPlace().run([group])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('error USAGE_INVALID: a command is missing')
    expect(stderr).toMatch(list)
  })

  test('a load shows the first rejected rows of each file, then the result, and no time that is left', async () => {
    const place = createPlace()
    const list = (name: string) =>
      ['lei,name,city,sic', ...Array.from({ length: 300 }, (_, row) => lineOf(name, row)), ''].join('\n')
    const lineOf = (name: string, row: number) =>
      `${leiOf(row)},${row % 10 === 9 ? '' : `${name} ${row}`},Leeds,${row % 10 === 8 ? 'x' : '3711'}`
    place.write('one.csv', list('Larkmoor'))
    place.write('two.csv', list('Norvane'))
    const { code, stdout, stderr } = await place.run(['registry', 'load', 'one.csv', 'two.csv'])
    expect(code).toBe(0)
    expect(stdout.match(/^ {2}line \d+: it has no name$/gm)).toHaveLength(6)
    expect(stdout.match(/^ {2}… and 27 more$/gm)).toHaveLength(2)
    // A value that many rows have is listed once.
    expect(stdout.match(/^ {2}30 times: SIC code .* \(lines 10, 20, 30, …\)$/gm)).toHaveLength(2)
    expect(stdout).toMatch(/^2 of 2 files loaded, 600 rows, 60 rejected, [\d.]+ s\nNext: [^\n]+\n$/m)
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^one\.csv \([^)]+\): 300 rows read$/),
      expect.stringMatching(/^two\.csv \([^)]+\): 300 rows read$/),
    ])
    const first = await place.run(['registry', 'load', 'one.csv', '--registry', 'r.sqlite', '--json'])
    const [, loaded] = readJsonLines(first.stdout)
    expect(loaded).toMatchObject({ result: { rejectedCount: 30, rejections: { length: 20 } } })
  })
})

describe('the time of a plan', () => {
  const writeList = (place: CliPlace, count: number) =>
    place.write('long.csv', companiesCsv(Array.from({ length: count }, (_, index) => `Company ${index}`)))
  const timeOf = ({ stdout }: { stdout: string }) => /^Time: (.*)$/m.exec(stdout)?.[1] ?? ''
  const hosted = ['--base-url', 'http://127.0.0.1:9']

  test.each([1, 60, 20_000, 100_000])('is no range between two equal times: %d lookups', async (count) => {
    const place = createPlace()
    writeList(place, count)
    const time = timeOf(await place.run(['plan', 'long.csv', ...hosted]))
    const [, one, other] = /^about ([^\s,]+)(?: to ([^\s,]+))?/.exec(time) ?? []
    expect(one).toBeDefined()
    expect(other).not.toBe(one)
  })

  test('follows the time that the service needs, by the first poll', async () => {
    const place = createPlace()
    writeList(place, 5)
    const timeWith = async (firstAfterSeconds: number) => {
      place.write('pace.json', JSON.stringify({ polling: { firstAfterSeconds } }))
      return timeOf(await place.run(['plan', 'long.csv', ...hosted, '--config', 'pace.json']))
    }
    expect(await timeWith(5)).toMatch(/^about 5\.0s to 2[5-9]/)
    expect(await timeWith(600)).toMatch(/^about 10m00s to 5[0-2]m/)
    expect(await timeWith(0)).toMatch(/^about 1m00s to 5m/)
  })

  test('names webhooks where they are much faster, unless they are set up', async () => {
    const place = createPlace()
    writeList(place, 20_000)
    expect(timeOf(await place.run(['plan', 'long.csv', ...hosted]))).toMatch(/, or \S+ with webhooks/)
    const flags = ['--webhook-url', 'https://hooks.example.com/enrich', '--webhook-listen', '127.0.0.1:0']
    const env = { ENRICH_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
    expect(timeOf(await place.run(['plan', 'long.csv', ...hosted, ...flags], { env }))).not.toContain(
      'webhooks',
    )
    writeList(place, 50)
    expect(timeOf(await place.run(['plan', 'long.csv', ...hosted]))).not.toContain('webhooks')
  })
})

test('a change names its row as the input does, without the identifiers of its lookup', async () => {
  const place = createPlace()
  const list = (...rows: string[]) =>
    place.write('list.csv', ['company_name,website,lei', ...rows, ''].join('\n'))
  const command = ['list.csv', '-o', 'out.csv', '--changes', 'changes.csv']
  list('Allianz,allianz.com,', 'Siemens AG,,W38RGI023J3WT1HWRP32')
  await place.run(command)
  list('Allianz SE,allianz.com,', 'Deutsche Bank,,7LTWFZYICNSX8D621K86')
  await place.run(command)
  const names = rowsOfCsv(Buffer.from(place.read('changes.csv'))).map((row) => row['name'])
  expect([...new Set(names)].sort()).toEqual(['Allianz', 'Allianz SE', 'Deutsche Bank', 'Siemens AG'])
})

describe('help and usage', () => {
  test('--help names every command, and fits one screen', async () => {
    const { code, stdout, stderr } = await createPlace().run(['--help'])
    expect([code, stderr]).toEqual([0, ''])
    for (const name of commandNames) expect(stdout).toMatch(new RegExp(`^  .*\\b${name}\\b`, 'm'))
    expect(stdout.split('\n').length).toBeLessThanOrEqual(40)
    expect((await createPlace().run(['--version'])).stdout).toBe(`${version}\n`)
  })

  test.each(['run', 'retry'])('%s --help-all has every flag, variable and exit code', async (name) => {
    const { code, stdout, stderr } = await createPlace().run([name, '--help-all'])
    expect([code, stderr]).toEqual([0, ''])
    const program = await createProgram({} as CliIo)
    const command = program.commands.find((one) => one.name() === name)
    const flags = command?.options.map(({ flags }) => flags) ?? []
    expect(flags.length).toBeGreaterThan(40)
    for (const flag of flags) expect(stdout).toContain(`\n  ${flag} `)
    for (const code of [0, 1, 2, 3, 4, 5, 8, 10, 11, 130])
      expect(stdout).toMatch(new RegExp(`^  ${code} +\\S`, 'm'))
    expect(stdout).toMatch(/^ {2}ENRICH_API_KEY /m)
    const short = (await createPlace().run([name, '--help'])).stdout
    expect(short.match(/^ {2}-/gm)?.length).toBeLessThan(24)
    for (const text of [short, (await createPlace().run(['plan', '--help'])).stdout])
      expect(text).not.toContain('windows-1252')
  })

  const mistakes: [args: string[], says: RegExp][] = [
    [['--zzzzzzzz'], /'--zzzzzzzz'/],
    [['plan', 'companies.csv', '--partial'], /'--partial'/],
    [['staus'], /neither a command nor a file\n {2}hint: did you mean enrich status\?/],
    [['quatsch'], /neither a command nor a file\n {2}hint: enrich --help/],
    [[...command, '--dry-run'], /'--dry-run'\n {2}hint: enrich plan /],
    [['registry', 'search', 'Acme', '--jurisdiction', 'de'], /hint: enrich registry search has --country </],
    [['registry', 'get', 'norway', '--jurisdiction=no'], /'--jurisdiction=…'\n {2}hint: .*--country </],
    [['companies.csv', '--out', 'out.csv'], /'--out'\n {2}hint: enrich run has -o, --output </],
    [['plan', 'companies.csv', '--budget', '5'], /enrich plan has --max-lookups <n>: .*; and --max-cost </],
    [['companies.csv', '-o', 'out.csv', '-q'], /'-q'\n {2}hint: enrich run has --quiet: /],
    [['serve', '--port', '1'], /enrich serve has --listen </],
    [['review'], /hint: name the file with the company names/],
    [['registry', 'nope'], /'nope'/],
    [['retry', 'companies.csv', '-o', 'out.csv'], /--status/],
    [['retry', 'companies.csv', '-o', 'out.csv', '--status', 'faild'], /no_match/],
    [[...command, '--limit', 'many'], /whole number/],
    [[...command, '--max-age', 'soon'], /30d/],
    [[...command, '--columns', ''], /at least one/],
    [[...command, '--basis', 'here'], /auto, inline, file, none/],
    [[...command, '--log-level', 'loud'], /debug/],
    [['companies.csv', '-o', '-', '--format', 'csv', '--json'], /standard output/],
  ]
  test.concurrent.for(mistakes)('%j is USAGE_INVALID', async ([args, says], context) => {
    const place = createPlace(context.onTestFinished)
    place.write('companies.csv', companiesCsv(['Acme']))
    const { code, stderr } = await place.run(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error USAGE_INVALID: .+\n {2}hint: .+\n$/)
    expect(stderr).toMatch(says)
    expect(place.names()).toEqual(['companies.csv'])
  })

  test('every command names its own option for a word that other commands have', async () => {
    const program = await createProgram({} as CliIo)
    const listed = program.commands.flatMap((command) =>
      command.commands.length === 0 ? [command] : [...command.commands],
    )
    const seen = new Set<string>()
    for (const command of listed) {
      const words =
        command.parent === program ? [command.name()] : [command.parent?.name() ?? '', command.name()]
      const own = new Set(command.options.map(({ long }) => long ?? ''))
      for (const [meant = '', ...others] of optionWords.alike.map((line) => line.split(' '))) {
        for (const other of others.filter((one) => own.has(meant) && !own.has(one))) {
          seen.add(meant)
          const hint = suggestOption(`unknown option '${other}'`, program, words) ?? ''
          expect(hint).toContain(`enrich ${words.join(' ')} has `)
          expect(
            [...own].some((one) => hint.includes(one)),
            hint,
          ).toBe(true)
        }
      }
      expect(suggestOption("unknown option '--zzzzzzzz'", program, words)).toBeNull()
    }
    // Each line of the table is for an option that a command has.
    expect([...seen].sort()).toEqual(
      [...new Set(optionWords.alike.map((line) => line.split(' ')[0] ?? ''))].sort(),
    )
  })

  test('where input and output are both missing, the input is reported', async () => {
    const place = createPlace()
    const { code, stderr } = await place.run(['compnies.csv'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error INPUT_NOT_FOUND: .*compnies\.csv/)])
  })
})

describe('what a run tells', () => {
  test('--quiet says nothing of a run that went well, and why one stopped', async () => {
    const { place, hosted } = await createHostedPlace(['Acme', 'Bolt'])
    const stopped = await place.run([...command, '--quiet', '--max-lookups', '1'], hosted)
    expect([stopped.code, stopped.stdout]).toEqual([8, ''])
    expect(stopped.stderr).toMatch(/^error LOOKUPS_MAX_REACHED: .+\n {2}hint: .+\n$/)
    expect(await place.run([...command, '--quiet'], hosted)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('--log-level: errors alone, notes too, or every progress', async () => {
    const { place, hosted } = await createHostedPlace(['Acme', ''])
    const told = async (level: string) =>
      (await place.run([...command, '--max-age', '0s', '--log-level', level], hosted)).stderr
    expect(await told('error')).toBe('')
    const warned = await told('warn')
    expect(warned.split('\n').filter((line) => !line.startsWith('  note '))).toEqual([''])
    expect(warned).toContain('1 row without a usable company name')
    const informed = await told('info')
    expect(informed).toContain('Done in')
    expect(informed).not.toContain('Writing out.csv')
    expect(await told('debug')).toMatch(/done · [^]*Writing out\.csv/)
  })

  test('the note about rows without a name names the added column with the reason, if it is written', async () => {
    const { place, hosted } = await createHostedPlace(['Acme', ''])
    const noteOf = async (...flags: string[]) =>
      /not billed(.*)/.exec((await place.run([...command, ...flags], hosted)).stderr)?.[1]
    expect(await noteOf()).toBe('; the column enrich_error gives the reason')
    expect(await noteOf('--prefix', 'x_', '--columns', 'status,x_error')).toBe(
      '; the column x_error gives the reason',
    )
    expect(await noteOf('--columns', 'status')).toBe('')
  })

  test.each([
    ['run', []],
    ['export', ['export']],
  ])('%s writes a basis file only if the columns name the basis, or --basis file', async (_, words) => {
    const { place, hosted } = await createHostedPlace(['Acme'])
    await place.run([...command, '-o', 'first.ndjson'], hosted)
    const listWritten = async (...flags: string[]) => {
      const before = place.names()
      const name = `o${before.length}.csv`
      const { code } = await place.run([...words, 'companies.csv', '-o', name, ...flags], hosted)
      expect(code).toBe(0)
      return place.names().filter((one) => one.startsWith(`${name}.`)).length
    }
    expect(await listWritten()).toBe(1)
    expect(await listWritten('--columns', 'status,legal_name')).toBe(0)
    expect(await listWritten('--columns', 'status,basis')).toBe(1)
    expect(await listWritten('--columns', 'x_status,x_basis', '--prefix', 'x_')).toBe(1)
    expect(await listWritten('--columns', 'status', '--basis', 'file')).toBe(1)
    expect(await listWritten('--columns', 'status,basis', '--basis', 'none')).toBe(0)
  })
})
