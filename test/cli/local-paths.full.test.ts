import { chmodSync, mkdirSync } from 'node:fs'
import type { Argument } from 'commander'
import { describe, expect, test } from 'vitest'
import { assertLocalPath, redactAddresses } from '../../src/core/local-path.js'
import { companiesCsv, createPlace } from '../support/cli.js'
import { commandsOfProgram } from '../support/every-command.js'
import { hasProgram, tellSkipped } from '../support/skipped.js'

const secret = 'pw-5e3c1f'
/** Addresses as people type them, each with something in it that nobody may read. */
const addresses = [
  `s3://AKIA:${secret}@bucket/companies.csv`,
  `gs://bucket/companies.csv?token=${secret}`,
  `https://user:${secret}@example.com/companies.csv`,
  `https://example.com/companies.csv?X-Amz-Signature=${secret}#${secret}`,
  `https://example.com/hooks/${secret}/out.csv`,
  `mysql://user:${secret}@db.example.com/crm?sslpassword=${secret}`,
  `postgresql+psycopg://user:p@ss/${secret}@db/crm`,
  `jdbc:postgresql://db/crm?password=${secret}`,
  `duckdb:${secret}.db`,
  `sqlite:${secret}.db`,
  `sftp://user:${secret}@host/companies.csv`,
  `file:///srv/${secret}/companies.csv`,
  `abfss://c@account.dfs.core.windows.net/x?sig=${secret}`,
  `snowflake://user:${secret}@account/db`,
]

const unsupported = addresses[5]!

/** A value that an argument takes. */
const usable = (argument: Argument): string =>
  argument.argChoices?.[0] ?? (argument.name() === 'units' ? '5' : 'csv')

/** Where each command takes a path, by the program's own list of flags and arguments. */
const places: [command: string, args: (address: string) => string[]][] = [
  ...(await commandsOfProgram()),
].flatMap(([name, command]) => {
  const words = name.split(' ')
  const needed = command.registeredArguments.filter(({ required }) => required).map(usable)
  const flags = command.options.filter(({ flags }) => /<(?:path|file|folder)>/.test(flags))
  const files = command.registeredArguments.filter((argument) =>
    /^(?:inputs|files?|paths|folder|queries|ledger)$/.test(argument.name()),
  )
  const demanded = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long }) => [long ?? '', long === '--status' ? 'failed' : 'made.html'])
  return [
    ...flags.map(({ long }): [string, (address: string) => string[]] => [
      `${name} ${long ?? ''}`,
      (address) => [...words, ...needed, ...demanded, long ?? '', address],
    ]),
    ...files.map((file): [string, (address: string) => string[]] => [
      `${name} <${file.name()}>`,
      (address) => [
        ...words,
        ...demanded,
        ...command.registeredArguments.flatMap((one) =>
          one === file ? address : one.required ? usable(one) : [],
        ),
      ],
    ]),
  ]
})

/** Inputs and outputs of rows may be tables and objects; others are refused there too. */
const remotePlace =
  /^(?:run|retry|plan|init|doctor|export|diff|review|show) (?:--output|--changes|<inputs>|<file>)$/
const chooseAddress = (name: string, index: number): string =>
  remotePlace.test(name) ? unsupported : addresses[index % addresses.length]!

describe('an address where a path is needed', () => {
  test('is looked for at every flag and argument that takes one', () => {
    expect(places.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'run <inputs>',
        'run --output',
        'status --checkpoint',
        'registry info --registry',
      ]),
    )
    expect(places.length).toBeGreaterThan(40)
  })

  test.concurrent.for(places.map(([name, args], index) => [name, args, chooseAddress(name, index)] as const))(
    '%s says what it is and what to do, and keeps its secret',
    async ([name, args, address], context) => {
      // Its standard output carries a protocol alone.
      const hasJson = !name.startsWith('mcp ')
      const place = createPlace(context.onTestFinished)
      place.write('csv', companiesCsv(['Acme']))
      const { code, stdout, stderr } = await place.run([...args(address), ...(hasJson ? ['--json'] : [])])
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^error PATH_IS_ADDRESS: .+\n {2}hint: .+\n$/),
      ])
      if (hasJson) expect(JSON.parse(stdout)).toMatchObject({ type: 'error', code: 'PATH_IS_ADDRESS' })
      else expect(stdout).toBe('')
      expect(stdout + stderr).not.toContain(secret)
      expect(place.names()).toEqual(['csv'])
    },
  )

  test.each(addresses)('%s is one', (address) => {
    for (const use of ['input', 'output', 'checkpoint', 'registry', 'file'] as const)
      expect(() => {
        assertLocalPath(address, use)
      }).toThrow(
        expect.objectContaining({ code: 'PATH_IS_ADDRESS', message: expect.not.stringContaining(secret) }),
      )
  })

  test('PostgreSQL is one but for a checkpoint, which may be there: without a password', () => {
    const address = `postgres://user:${secret}@db.example.com/crm`
    for (const [use, code] of [
      ['input', 'PATH_IS_ADDRESS'],
      ['output', 'PATH_IS_ADDRESS'],
      ['registry', 'PATH_IS_ADDRESS'],
      ['checkpoint', 'CHECKPOINT_URL_HAS_PASSWORD'],
    ] as const)
      expect(() => {
        assertLocalPath(address, use)
      }).toThrow(expect.objectContaining({ code, message: expect.not.stringContaining(secret) }))
    assertLocalPath('postgres://user@db.example.com/crm', 'checkpoint')
    assertLocalPath('postgresql://user@db.example.com/crm', 'checkpoint')
  })

  test.each([
    addresses[0]!,
    addresses[1]!,
    addresses[2]!,
    addresses[3]!,
    `postgres://user:${secret}@localhost/crm#t`,
  ])('%s is refused as input and output for the secret in it, without a request', async (address) => {
    const place = createPlace()
    place.write('list.csv', companiesCsv(['Acme']))
    for (const args of [
      ['plan', address],
      ['list.csv', '-o', address],
    ]) {
      const { code, stdout, stderr } = await place.run([...args, '--json'])
      // An https address and an unknown extension are refused as an output before that.
      const codes = args.includes('-o')
        ? /^error (?:ADDRESS_HAS_SECRET|ADDRESS_INVALID|OUTPUT_FORMAT_UNKNOWN): /m
        : /^error ADDRESS_HAS_SECRET: /m
      expect([code, stderr]).toEqual([2, expect.stringMatching(codes)])
      expect(stdout + stderr).not.toContain(secret)
    }
  })

  test.each([
    'companies.csv',
    '/srv/a:b.csv',
    'report:2024.csv',
    './s3://x',
    'C:\\crm\\a.csv',
    '-',
    'a/*.csv',
  ])('%s is none', (path) => {
    assertLocalPath(path, 'input')
  })

  test('in a config it is found as well, before anything is read', async () => {
    const place = createPlace()
    for (const config of [
      { input: { paths: [unsupported] } },
      { output: { path: addresses[7] } },
      { checkpoint: { path: addresses[5] } },
      { service: { registry: addresses[2] } },
    ]) {
      place.write('pipeline.config.json', JSON.stringify({ input: { paths: ['x.csv'] }, ...config }))
      const { code, stderr } = await place.run(['plan'])
      expect([code, stderr]).toEqual([2, expect.stringContaining('error PATH_IS_ADDRESS: ')])
      expect(stderr).not.toContain(secret)
    }
  })
})

test.each([
  [['plan', 'csv', '--limit', addresses[0]!]],
  [['plan', 'csv', '--format', addresses[5]!]],
  [['accounts', 'show', addresses[3]!]],
  [['status', addresses[5]!]],
  [['api', 'GET', addresses[2]!]],
])('%j: no error repeats what an address keeps secret', async (args) => {
  const { code, stdout, stderr } = await createPlace().run([...args, '--json'])
  expect(code).toBe(2)
  expect(stdout + stderr).not.toContain(secret)
})

describe('a path that no file can have', () => {
  const long = `/tmp/${'a'.repeat(5_000)}`
  const checkpoints = ['', ':memory:', 'file::memory:?cache=shared', long]

  test.each(checkpoints)('as the checkpoint: %s', async (path) => {
    const place = createPlace()
    place.write('in.csv', companiesCsv(['Acme']))
    for (const args of [['in.csv', '-o', 'out.csv'], ['status'], ['checkpoint', 'verify']]) {
      const { code, stderr } = await place.run([...args, '--checkpoint', path])
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^error [A-Z_]+: .+\n {2}hint: .+/m)])
    }
    expect(place.names()).toEqual(['in.csv'])
  })

  test.each([
    [['', '-o', 'out.csv']],
    [['in.csv', '-o', '']],
    [['show', '']],
    [['registry', 'load', '']],
    [[long, '-o', 'out.csv']],
    [['in.csv', '-o', `${long}.csv`]],
    [['mcp', '--root', long]],
    [['init', long]],
  ])('as another path: %j', async (args) => {
    const place = createPlace()
    place.write('in.csv', companiesCsv(['Acme']))
    const { code, stderr } = await place.run(args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error [A-Z_]+: .+\n {2}hint: .+/m)])
  })

  test.each(['input', 'output', 'report', 'checkpoint', 'registry', 'file'] as const)(
    'with a NUL character as %s',
    (use) => {
      expect(() => {
        assertLocalPath('a\0b.csv', use)
      }).toThrow('NUL character')
    },
  )
})

test('a folder that the user may not enter is an error with a hint', async (context) => {
  const isRoot = process.getuid?.() === 0
  if (isRoot && !hasProgram('setpriv')) {
    tellSkipped('root may enter every folder without setpriv: folders without permission were not tried')
    context.skip()
  }
  const place = createPlace()
  place.write('in.csv', companiesCsv(['Acme']))
  mkdirSync(place.path('closed'))
  place.write('closed/in.csv', companiesCsv(['Acme']))
  chmodSync(place.path('closed'), 0o600)
  // Without these rights, root may enter what its owner may.
  const wrapper = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
  for (const args of [
    ['closed/in.csv', '-o', 'out.csv'],
    ['in.csv', '-o', 'closed/out.csv'],
    ['in.csv', '-o', 'out.csv', '--checkpoint', 'closed/c.sqlite'],
    ['status', '--checkpoint', 'closed/c.sqlite'],
    ['mcp', '--root', 'closed'],
  ]) {
    const { code, stderr } = await place.run(args, { wrapper })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error [A-Z_]+: .+\n {2}hint: .+/m)])
  }
})

test('an address in a text loses its user and its query, and nothing else', () => {
  expect(redactAddresses('no https://u:p@ss@h.example/x?sig=1#y, nor http://127.0.0.1:8/v3 is there')).toBe(
    'no https://…@h.example/x?… nor http://127.0.0.1:8/v3 is there',
  )
})
