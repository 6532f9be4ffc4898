import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { publishSample, servePublishers, sourceOf, type PublisherServer } from '../support/publishers.js'
import { readJsonLines } from '../support/json-lines.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())
beforeEach(() => {
  publishers.files.clear()
})

const norway = sourceOf('norway')
const header = norway.sample[0]?.lines?.[0] ?? ''

interface Company {
  readonly number: string
  readonly name: string
  readonly street?: string
  readonly isBankrupt?: boolean
}

let edition = 0

function publishNorway(companies: readonly Company[]): void {
  const rows = companies.map(
    ({ number, name, street = 'Storgata 1', isBankrupt = false }) =>
      `"${number}","${name}","AS","62.010","","${street}","OSLO","0155","OSLO","NO","2015-01-01","${isBankrupt}","false"`,
  )
  publishSample(publishers, norway, {
    sample: [{ file: 'enheter.csv', lines: [header, ...rows] }],
    etag: `"${++edition}"`,
    modified: new Date(Date.UTC(2026, 0, edition)).toUTCString(),
  })
}

const stays = { number: '923609016', name: 'TALQUELL STAYS AS' }
const renamed = { number: '982463718', name: 'MIVOLAR OLD NAME AS' }
const ends = { number: '811111118', name: 'ZORVEX ENDS AS' }
const moves = { number: '974760673', name: 'QUILLON MOVES AS' }
const leaves = { number: '985399077', name: 'BRANTFELD LEAVES AS' }
const list = [stays, renamed, ends, moves, leaves, renamed]

interface Line {
  readonly type: string
  readonly [member: string]: unknown
}

const readLines = (stdout: string): Line[] => readJsonLines<Line>(stdout)

describe('what a new edition changes in answers of earlier runs', () => {
  const env = () => ({ ENRICH_REGISTER_MIRROR: publishers.address })

  async function enrichList(): Promise<CliPlace> {
    publishNorway([stays, renamed, ends, moves, leaves])
    const place = createPlace()
    await place.run(['registry', 'get', 'norway'], { env: env() })
    const rows = list.map(({ number, name }) => `${name},${number},NO`)
    place.write('companies.csv', ['name,company number,country', ...rows, ''].join('\n'))
    const run = await place.run(['companies.csv', '-o', 'out.csv'])
    expect(run.code).toBe(0)
    return place
  }

  function publishNextNight(): void {
    publishNorway([
      stays,
      { ...renamed, name: 'MIVOLAR NEW NAME AS' },
      { ...ends, isBankrupt: true },
      { ...moves, street: 'Lillegata 2' },
    ])
  }

  test('a refresh counts companies and rows by change, and the next run finds the same', async () => {
    const place = await enrichList()
    publishNextNight()
    const { code, stdout } = await place.run(['registry', 'refresh'], { env: env() })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 left') as string })
    expect(stdout).toContain(
      [
        'Answers of earlier runs (.enrich/checkpoint.sqlite): 4 of 5 companies changed, in 5 rows of the next run',
        '  renamed             2 rows',
        '  became_inactive     1 row',
        '  left_register       1 row',
        '  address_changed     1 row',
        '',
      ].join('\n'),
    )
    expect(stdout).toMatch(/renamed +row 2 +MIVOLAR OLD NAME AS +legal_name +MIVOLAR OLD NAME AS → MIVOLAR/)
    await place.run(['companies.csv', '-o', 'out.csv'])
    const diff = await place.run(['diff', '--json'])
    expect(readLines(diff.stdout).at(-1)).toMatchObject({
      counts: { renamed: 2, became_inactive: 1, left_register: 1, address_changed: 1 },
    })
  })

  test('--json prints each change like diff, then the counts; without a change there are none', async () => {
    const place = await enrichList()
    publishNextNight()
    const { stdout } = await place.run(['registry', 'refresh', '--json'], { env: env() })
    const lines = readLines(stdout)
    expect(lines.map(({ type }) => type)).toEqual(['register', ...Array<string>(5).fill('change'), 'answers'])
    expect(lines[1]).toMatchObject({ kind: 'renamed', row_number: 2, field: 'legal_name', old: renamed.name })
    expect(lines.at(-1)).toMatchObject({
      companyCount: 5,
      rowCount: 6,
      changedCompanyCount: 4,
      changedRowCount: 5,
      kinds: { renamed: 2 },
    })
    const again = await place.run(['registry', 'refresh', '--json'], { env: env() })
    expect(readLines(again.stdout).map(({ type }) => type)).toEqual(['register'])
  })

  test('get over an older edition tells it too', async () => {
    const place = await enrichList()
    publishNextNight()
    const { stdout } = await place.run(['registry', 'get', 'norway'], { env: env() })
    expect(stdout).toContain('4 of 5 companies changed')
  })

  test('a checkpoint that is named is read; one that is damaged is a notice, and the edition is loaded', async () => {
    const place = await enrichList()
    publishNextNight()
    place.write('broken.sqlite', 'no database')
    const broken = await place.run(['registry', 'refresh', '--checkpoint', 'broken.sqlite'], { env: env() })
    expect(broken).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The answers of earlier runs were not compared: ') as string,
    })
    const named = ['registry', 'refresh', '--checkpoint', '.enrich/checkpoint.sqlite']
    publishNorway([stays])
    expect((await place.run(named, { env: env() })).stdout).toContain('4 of 5 companies changed')
  })
})

describe('on an empty machine', () => {
  const env = () => ({ ENRICH_REGISTER_MIRROR: publishers.address })

  test('two commands turn a list into answers, with no file named by hand', async () => {
    for (const id of ['gleif', 'sec-listed', 'companies-house']) publishSample(publishers, sourceOf(id))
    const place = createPlace()
    const contact = ['--contact', 'Test test@example.com']
    const got = await place.run(['registry', 'get', 'gleif', 'sec-listed', 'companies-house', ...contact], {
      env: env(),
    })
    expect(got.code).toBe(0)
    place.write('companies.csv', 'name,country\nTesco plc,GB\nFord Motor Company,US\n')
    const run = await place.run(['companies.csv', '-o', 'out.csv', '--columns', 'legal_name,lei'])
    expect(run.code).toBe(0)
    expect(place.read('out.csv')).toContain('TESCO PLC,2138002P5RNKC5W2JZ46')
    expect(place.read('out.csv')).toContain('20S05OYHG0MQM4VUIC57')
  })

  test('a refresh leaves registers that are downloaded by hand, and does not fail', async () => {
    publishNorway([stays])
    const place = createPlace()
    place.write('jp.csv', sourceOf('japan').sample[0]?.lines?.join('\n') ?? '')
    await place.run(['registry', 'get', 'japan', '--from', 'jp.csv'], { env: env() })
    await place.run(['registry', 'get', 'norway'], { env: env() })
    const { code, stdout } = await place.run(['registry', 'refresh'], { env: env() })
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/japan: not refreshed .*: a program cannot download its files/) as string,
    })
    expect(stdout).toContain('norway: nothing changed')
  })

  test('the sources for a list name what is downloaded by hand, and why a country has none', async () => {
    const place = createPlace()
    place.write('list.csv', 'name,country\nA Kabushiki,Japan\nB GmbH,Germany\nC AS,Norway\n')
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    expect(stdout).toContain(
      `Download the files of japan yourself from ${sourceOf('japan').page}, then: enrich registry get japan --from PATH`,
    )
    expect(stdout).toMatch(/Germany +no open register: no official file/)
    const [gleif = [], own = [], all = []] = [
      ...stdout.matchAll(/(\d+) MB to download, and ([\d.]+) (GB|MB) on disk/g),
    ]
    expect([gleif[1], own[1], Number(all[1])]).toEqual(['500', '154', 654])
    expect(stdout).toContain('  enrich registry get gleif norway\n')
  })

  test('the sources for a list tell how many rows each may help, the most first, and a filter of countries', async () => {
    const place = createPlace()
    place.write(
      'list.csv',
      'name,country\nA Ltd,GB\nB AS,NO\nC AS,NO\nD Ltd,KE\nTotal: 4 clients,\n(no name yet),NO\n',
    )
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    const told = [...stdout.matchAll(/^ {2}(\S+) +for (\d+) rows?: /gm)].map(([, id, rows]) => [id, rows])
    expect(told).toEqual([
      ['gleif', '4'],
      ['norway', '2'],
      ['companies-house', '1'],
    ])
    expect(stdout).toContain('  enrich registry get gleif norway companies-house\n')
    expect(stdout).toContain('With --country NO,GB,KE, gleif keeps only companies of these countries.\n')
  })

  test('Two letters of a town are no country next to numbers of another one', async () => {
    const place = createPlace()
    place.write(
      'list.csv',
      'Tên công ty,Mã số thuế,Tỉnh/TP\nSao Mai,0100109106,HN\nHoa Đào,0300588569,HP\nTrúc Lam,,HN\n',
    )
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    expect(stdout).toMatch(/2 {2}Viet Nam/)
    expect(stdout).not.toContain('Honduras')
  })

  test('what is loaded is told and not proposed again, and a publisher that wants a contact gets one', async () => {
    publishNorway([stays])
    const place = createPlace()
    await place.run(['registry', 'get', 'norway', '--registry', 'my own.sqlite'], { env: env() })
    place.write('list.csv', 'name,country\nA AS,NO\nB AS,NO\nC Inc,US\n')
    const listing = ['registry', 'sources', 'list.csv', '--registry', 'my own.sqlite']
    const { stdout } = await place.run(listing)
    expect(stdout).toMatch(/ 2 {2}Norway +norway\n/)
    expect(stdout).toContain('Loaded already: norway (')
    expect(stdout).toMatch(
      / {2}enrich registry get gleif sec --contact "Your company name@example.com" --registry 'my own.sqlite'\n/,
    )
    const known = await place.run(listing, { env: { ENRICH_CONTACT: 'A a@example.com' } })
    expect(known.stdout).not.toContain('--contact')
  })

  test.each(['get', 'load'])('rows of a file that registry %s read are counted as loaded', async (how) => {
    const place = createPlace()
    place.write('no.csv', norway.sample[0]?.lines?.join('\n') ?? '')
    place.write('list.csv', 'name,country\nA AS,NO\n')
    const load = how === 'get' ? ['get', 'norway', '--from', 'no.csv'] : ['load', 'no.csv']
    expect((await place.run(['registry', ...load])).code).toBe(0)
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    expect(stdout).toMatch(/Loaded in part: norway \([1-9] of about/)
  })

  test.each([
    ['a region', 'name,state\nAA,广东省\nBB,上海市\n', /2 {2}China /],
    ['a region', 'name,state\nAA,Bayern\nBB,Nordrhein-Westfalen\n', /2 {2}Germany /],
    ['a region', 'name,state\nAA,Maharashtra\n', /1 {2}India /],
    ['a number', 'name,统一社会信用代码\nAA,91440300708461136T\n', /1 {2}China /],
    ['a number', 'name,GSTIN\nAA,27AAPFU0939F1ZV\n', /1 {2}India /],
    ['a number', 'naam,ondernemingsnummer\nAA,0403.170.701\n', /1 {2}Belgium /],
    ['a form', 'name\nA sp. z o.o.\n', /1 {2}Poland /],
    ['nothing', 'name\nA Ltd\n', /1 {2}no known country/],
    ['no letter', 'name,city,country\nA Ltd,B,\nC Ltd,e,\n', /2 {2}no known country/],
    ['a letter', 'name,city,country\nAA,,B\n', /1 {2}Belgium /],
    ['other rows', 'name,city,state\nAA,Cuenca,\nBB,Quito,Pichincha\n', /2 {2}Ecuador /],
    ['other rows', 'name,city,country\nAA,Guadalajara,\nBB,Mérida,\nCC,Puebla,MX\n', /3 {2}Mexico /],
    ['other rows', 'name,city,country\nAA,Guadalajara,\nBB,Mérida,\nCC,Madrid,ES\n', /3 {2}Spain /],
  ])('the sources for a list know its country by %s: %s', async (_what, content, expected) => {
    const place = createPlace()
    place.write('list.csv', content)
    expect((await place.run(['registry', 'sources', 'list.csv'])).stdout).toMatch(expected)
  })

  test('The countries of a list have a heading; what a register lacks is told', async () => {
    const place = createPlace()
    place.write('list.csv', 'name,province,country\nA inc.,QC,Canada\n')
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    expect(stdout).toMatch(/^ +rows {2}country +registers\n +1 {2}Canada +canada\n/m)
    expect(stdout).toMatch(/canada has the federal companies only/)
    place.write('other.csv', 'name,country\nA AS,NO\n')
    expect((await place.run(['registry', 'sources', 'other.csv'])).stdout).not.toContain('federal')
  })

  test('A register of which a part was imported from a file is proposed, with its rows', async () => {
    const place = createPlace()
    place.write('lei2.csv', sourceOf('gleif').sample[0]?.lines?.join('\n') ?? '')
    const imported = await place.run(['registry', 'import', 'gleif', 'lei2.csv'])
    expect(imported.code).toBe(0)
    place.write('list.csv', 'name,country\nA AS,NO\n')
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    expect(stdout).toMatch(/Loaded in part: gleif \([1-9]\d* of about [\d,]{9,} rows\)\n/)
    expect(stdout).not.toContain('own files')
    expect(stdout).toContain('  enrich registry get gleif norway\n')
    expect((await place.run(['registry', 'sources'])).stdout).toMatch(/^ *gleif .* [1-9]\d* rows?$/m)
    place.write('gb.csv', 'name,country\nZorvex Quilling Ltd,GB\n')
    expect((await place.run(['gb.csv', '-o', 'out.csv'])).stderr).toContain(
      '(United Kingdom 1): enrich registry get gleif companies-house\n',
    )
  })

  test('A download of some countries is whole for a list of these countries only', async () => {
    publishNorway([stays])
    const place = createPlace()
    await place.run(['registry', 'get', 'norway', '--country', 'SE'], { env: env() })
    place.write('list.csv', 'name,country\nA AS,NO\n')
    expect((await place.run(['registry', 'sources', 'list.csv'])).stdout).toContain('get gleif norway\n')
    await place.run(['registry', 'get', 'norway', '--country', 'NO,SE'], { env: env() })
    expect((await place.run(['registry', 'sources', 'list.csv'])).stdout).toContain('get gleif\n')
  })

  test('The sources for a list are found in any encoding and layout that the flags name', async () => {
    const place = createPlace()
    const rows = 'Firma;Staat;Sitz\nMüller GmbH;x;Österreich\nÅkers AB;x;Schweden\nÇelik AŞ;x;Türkei\n'
    place.write('list.csv', Buffer.from(rows.replaceAll('Ş', 'S'), 'latin1'))
    const reading = ['--encoding', 'latin1', '--delimiter', ';', '--location-columns', 'Sitz']
    const { code, stdout } = await place.run(['registry', 'sources', 'list.csv', ...reading])
    expect(code).toBe(0)
    for (const country of ['Austria', 'Sweden']) expect(stdout).toContain(country)
  })

  test('The sources for a list are found as the config reads it, also for several files', async () => {
    const place = createPlace()
    const rows = (country: string) => Buffer.from(`Käufer|Staat|Sitz\nA AS|x|${country}\n`, 'latin1')
    place.write('list.csv', rows('Österreich'))
    place.write('more.csv', rows('Türkei'))
    const columns = { name: 'Käufer', location: ['Sitz'] }
    const input = { paths: ['list.csv'], delimiter: '|', encoding: 'latin1', columns }
    place.write('pipeline.config.json', JSON.stringify({ input }))
    const ofConfig = await place.run(['registry', 'sources', '--config', 'pipeline.config.json'])
    expect(ofConfig.stdout).toMatch(/^list\.csv: 1 row\n.*registers\n.*1 {2}Austria/)
    const ofFiles = await place.run(['registry', 'sources', 'list.csv', 'more.csv'])
    expect(ofFiles.stdout).toMatch(/^list\.csv, more\.csv: 2 rows\n[^]*Türkiye/)
    place.write('demo.json', JSON.stringify({ input, output: { path: 'demo.csv' } }))
    const run = await place.run(['--config', 'demo.json'])
    expect(run.stderr).toContain('enrich registry sources --config demo.json ')
  })

  test('Every command that reads a list has the flags that say how', async () => {
    const place = createPlace()
    const commands = 'run,retry,plan,show,export,review,doctor,init,registry sources'.split(',')
    for (const command of commands) {
      const { stdout } = await place.run([
        ...command.split(' '),
        command === 'run' || command === 'retry' ? '--help-all' : '--help',
      ])
      for (const flag of [
        'name-column',
        'input-format',
        'delimiter',
        'no-header',
        'query',
        'encoding',
        'sheet',
      ])
        expect([command, stdout]).toEqual([command, expect.stringContaining(`--${flag}`)])
    }
  })

  test('a source of your own is listed once it is loaded, and its faults name its file', async () => {
    const place = createPlace()
    place.write('ours.json', JSON.stringify({ ...norway, id: 'ours', country: 'DE', wantsContact: false }))
    place.write('ours.csv', norway.sample[0]?.lines?.join('\n') ?? '')
    const get = ['registry', 'get', 'ours.json', '--from']
    expect((await place.run([...get, 'ours.csv'])).code).toBe(0)
    expect((await place.run(['registry', 'sources'])).stdout).toMatch(/^ +ours +Germany .* \d{4}-\d\d-\d\d$/m)
    const lost = norway.sample[0]?.lines?.map((line) => line.replaceAll('"NO"', '"XX"')).join('\n') ?? ''
    place.write('lost.csv', lost)
    const left = (await place.run([...get, 'lost.csv'])).stdout
    expect(left).toMatch(/, \d+ values? left out/)
    expect(left).toMatch(/ {4}(?:\d+ times|line 2): country "XX" is not known/)
    place.write('list.csv', 'name,country\nA GmbH,DE\n')
    const { stdout } = await place.run(['registry', 'sources', 'list.csv'])
    expect(stdout).toMatch(/Germany +ours\nLoaded already: ours \(/)
    place.write('other.csv', 'nummer,navn\n1,A\n')
    const { stderr } = await place.run([...get, 'other.csv'])
    expect(stderr).toMatch(/hint: .*correct ours\.json and get it again/)
    expect(stderr).not.toContain('--show')
  })

  test('companies of countries that are no longer kept are not said to have left the register', async () => {
    publishNorway([stays, leaves])
    const place = createPlace()
    await place.run(['registry', 'get', 'norway'], { env: env() })
    await place.run(['registry', 'get', 'norway', '--country', 'SE'], { env: env() })
    place.write(
      'in.csv',
      `name,company number,country\n${stays.name},${stays.number},NO\n${leaves.name},,NO\n`,
    )
    await place.run(['in.csv', '-o', 'out.csv'])
    const out = place.read('out.csv')
    expect(out).not.toContain('no longer names')
    expect(out.match(/only companies of SE are kept now/g)?.length).toBeGreaterThanOrEqual(2)
  })

  test('a file that is not given is named, with what companies lack without it', async () => {
    const place = createPlace()
    const france = sourceOf('france')
    for (const { file, lines } of france.sample) place.write(file, `${lines?.join('\n') ?? ''}\n`)
    const files = france.sample.map(({ file }) => file)
    const [units = ''] = files.filter((file) => /UniteLegale/.test(file))
    const one = await place.run(['registry', 'get', 'france', '--from', units])
    expect(one.code).toBe(0)
    expect(one.stdout).toMatch(
      /no file with "Etablissement" in its name was given: companies have no .*street.*city/,
    )
    const all = await place.run(['registry', 'get', 'france', ...files.flatMap((file) => ['--from', file])])
    expect([all.code, all.stdout]).toEqual([0, expect.not.stringContaining('was given')])
  })

  test('a register that fails names code, publisher and hint; the others are loaded, and the edition stays', async () => {
    publishNorway([stays])
    const place = createPlace()
    await place.run(['registry', 'get', 'norway'], { env: env() })
    publishers.files.set('data.brreg.no/enhetsregisteret/api/enheter/lastned/csv', {
      content: 'nummer,navn\n1,A\n',
      headers: { etag: '"broken"' },
    })
    publishSample(publishers, sourceOf('latvia'))
    const { code, stdout, stderr } = await place.run(['registry', 'get', 'norway', 'latvia'], { env: env() })
    expect(code).toBe(2)
    expect(stdout).toMatch(
      /norway: not loaded: .*it has no column organisasjonsnummer; the edition of .* stays/,
    )
    expect(stdout).toMatch(/latvia: \d+ rows: /)
    expect(stderr).toMatch(/error REGISTER_CHANGED: Brønnøysundregistrene: .*\n {2}hint: .*--show norway/)
  })
})

describe('the next command', () => {
  const env = () => ({ ENRICH_REGISTER_MIRROR: publishers.address })
  /** The arguments of a command as a shell reads them, without the program. */
  const split = (command: string) =>
    [...command.matchAll(/(?:'((?:[^']|'\\'')*)'|(\S+))(?=\s|$)/g)]
      .map(([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain ?? '')
      .slice(1)

  test.each([
    ['list of firms.csv', 'LEI,Razón social,Situación', 'Situación'],
    ["l'elenco.csv", 'LEI,Ragione sociale,Stato impresa', 'Stato impresa'],
    ['firmy.csv', 'LEI,Firma,Stan', 'Stan'],
  ])('of a column that may have the status works as typed: %s', async (file, header, column) => {
    const place = createPlace()
    place.write(file, `${header}\n2138002P5RNKC5W2JZ46,Larkmoor plc,quux\n`)
    const registry = ['--registry', 'my own.sqlite']
    const plan = await place.run(['registry', 'load', file, '--dry-run', ...registry])
    const [, command = ''] = /To use it: (enrich .*)\n/.exec(plan.stdout) ?? []
    expect(split(command)).toContain('my own.sqlite')
    expect(command).toContain(`status=${column}`)
    const imported = await place.run(split(command))
    expect(imported.code).toBe(0)
    expect(imported.stdout).toContain("Next: enrich FILE -o out.csv --registry 'my own.sqlite'\n")
    const info = await place.run(['registry', 'info', ...registry])
    expect(info.stdout).toMatch(/companies 1\n/)
  })

  test('names the registry that was named', async () => {
    publishNorway([stays])
    const place = createPlace()
    const registry = ['--registry', 'a3.sqlite']
    const got = await place.run(['registry', 'get', 'norway', ...registry], { env: env() })
    expect(got.stdout).toContain('Next: enrich FILE -o out.csv --registry a3.sqlite\n')
    const empty = await place.run(['registry', 'refresh', '--registry', 'a4.sqlite'], { env: env() })
    expect(empty.stderr).toContain('enrich registry get NAME --registry a4.sqlite;')
    place.write('b.csv', 'Company Name,Reg No\nLarkmoor Ltd,12\n')
    const skipped = await place.run(['registry', 'load', 'b.csv', ...registry])
    expect(skipped.stdout).toMatch(/enrich registry import csv b\.csv .* --registry a3\.sqlite\n/)
    const refused = await place.run(['registry', 'import', 'csv', 'b.csv', ...registry])
    expect(refused.stderr).toMatch(/enrich registry import csv b\.csv .* --registry a3\.sqlite\n/)
    place.write('list.csv', 'name,country\nA Kabushiki,Japan\nC AS,Norway\n')
    const { stdout } = await place.run(['registry', 'sources', 'list.csv', ...registry])
    expect(stdout).toContain('enrich registry get japan --from PATH --registry a3.sqlite\n')
    expect(stdout).toContain('(enrich registry refresh --registry a3.sqlite brings them up to date)')
  })
})
