import { Command, type Option } from 'commander'
import { iso31661 } from 'iso-3166'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { addConfigFlags, readConfig } from '../../../src/cli/config-flags.js'
import { createProgram } from '../../../src/cli/program.js'
import { suggestChoice } from '../../../src/cli/run-help.js'
import type { CliIo } from '../../../src/cli/terminal/command-io.js'
import { parseConfig, type FileConfig } from '../../../src/config/file-config.js'
import {
  fillDefaults,
  listOptions,
  option,
  parseIdColumns,
  useForBoth,
  buildSchema,
  parseCountry,
} from '../../../src/config/option.js'
import { callFlags, options } from '../../../src/config/options.js'
import type { Settings } from '../../../src/config/settings.js'
import { identifierKeys, identifierPlaceKeys } from '../../../src/core/identifiers.js'
import type { ErrorCode, ExitCode } from '../../../src/core/errors.js'

const groups = [
  'config',
  'input',
  'output',
  'partial',
  'checkpoint',
  'decisions',
  'service',
  'asking',
  'webhook',
  'reporting',
  'review',
  'run',
] as const

/** What the flags of a command line make of the config, by commander as the commands use it. */
function configFrom(...argv: string[]): FileConfig {
  const command = addConfigFlags(
    new Command('run').exitOverride().configureOutput({ writeErr: () => undefined }),
    groups,
  )
  command.parse(argv, { from: 'user' })
  return readConfig([], command.opts(), {})
}

describe('the table of options', () => {
  test('the type of a config follows from it, exactly', () => {
    type Input = NonNullable<FileConfig['input']>
    expectTypeOf<Input['limit']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<NonNullable<Input['columns']>['location']>().toEqualTypeOf<string[] | undefined>()
    expectTypeOf<Input['format']>().toEqualTypeOf<
      'csv' | 'parquet' | 'ndjson' | 'json' | 'xlsx' | undefined
    >()
    expectTypeOf<NonNullable<FileConfig['submission']>['onLost']>().toEqualTypeOf<
      'hold' | 'resubmit' | undefined
    >()
    expectTypeOf<keyof FileConfig>().toEqualTypeOf<keyof typeof options>()
    expectTypeOf<Settings['input']['dedupe']>().toEqualTypeOf<boolean>()
    expectTypeOf<Settings['output']['prefix']>().toEqualTypeOf<string>()
    expectTypeOf<Settings['output']['path']>().toEqualTypeOf<string | undefined>()
  })

  test('every option says what it is, and its default and its example are values of it', () => {
    for (const { path, option: entry } of listOptions(options)) {
      const { schema: make, example, defaults } = entry
      const schema = make()
      expect([path, schema.description]).toEqual([path, expect.stringMatching(/^[A-Z].*\.$/)])
      const values = [example ?? defaults?.hosted, ...Object.values(defaults ?? {})]
      for (const value of values.filter((value) => value !== null))
        expect([path, schema.safeParse(value).success]).toEqual([path, true])
    }
  })

  test('no two flags are the same, and every group of flags is known', () => {
    const flags = [...callFlags, ...listOptions(options).flatMap(({ option: { flag } }) => flag ?? [])]
    const names = flags.flatMap((flag) => flag.names.match(/--?[a-z][\w-]*/g) ?? [])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(new Set(flags.map(({ group }) => group))).toEqual(new Set(groups))
  })
})

describe('flags by the table', () => {
  test.each<[string[], FileConfig]>([
    [[], {}],
    [['--name-column', 'firma'], { input: { columns: { name: 'firma' } } }],
    [['--location-columns', ' city, ,zip '], { input: { columns: { location: ['city', 'zip'] } } }],
    [['--no-dedupe'], { input: { dedupe: false } }],
    [['--resubmit-uncertain'], { submission: { onLost: 'resubmit' } }],
    [['--partial', '--bom'], { output: { partial: true, bom: true } }],
    [['--delimiter', 'tab'], { input: { delimiter: '\t' } }],
    [['--delimiter', '\\t'], { input: { delimiter: '\t' } }],
    [['--max-lookups', '0', '--limit', '7'], { budget: { lookupsMax: 0 }, input: { limit: 7 } }],
    [['--max-age', '30d', '--checkpoint', 'c'], { checkpoint: { maxAge: '30d', path: 'c' } }],
    [['--webhook-listen', '8788'], { webhook: { listen: '8788' } }],
    [
      ['--columns', 'status,lei', '--format', 'csv'],
      { output: { columns: ['status', 'lei'], format: 'csv' } },
    ],
  ])('%j', (argv, config) => {
    expect(configFrom(...argv)).toEqual(config)
  })

  test.each([
    [['--limit', '0'], 'It must be a whole number from 1 to 999,999,999,999.'],
    [['--max-lookups', '1'.repeat(13)], 'It must be a whole number from 0 to 999,999,999,999.'],
    [
      ['--max-cost', '1e3'],
      'It must be an amount from 0 to 1,000,000,000 of at most six decimals, like 0.5.',
    ],
    [['--max-age', '30'], 'It must be a number and s, m, h or d, like 30d.'],
    [['--delimiter', '||'], 'It must be one character, or tab.'],
    [['--columns', ','], 'It must name at least one.'],
    [['--webhook-listen', 'here'], 'It must be host:port, like 127.0.0.1:8788.'],
    [['--basis', 'all'], 'Allowed choices are auto, inline, file, none.'],
  ])('%j is refused', (argv, message) => {
    expect(() => configFrom(...argv)).toThrow(message)
  })
})

describe('every flag that takes a number', async () => {
  const listAll = (command: Command): Command[] => [command, ...command.commands.flatMap(listAll)]
  const isNumber = ({ flags }: Option) => /<(?:n|amount|percent|share)>/.test(flags)
  const cases = listAll(await createProgram({} as CliIo)).flatMap((command) =>
    command.options.filter(isNumber).map((flag) => [command.name(), flag.flags, flag] as const),
  )
  const texts = ['0', '-1', '1.5', '1e3', '1e20', '9'.repeat(20), '', '∞', '１２', ' ', '0x10']

  test('is found', () => {
    const names = cases.map(([, , flag]) => flag.long)
    expect(names).toEqual(
      expect.arrayContaining(['--limit', '--row', '--matchers', '--max-cost', '--accept']),
    )
  })

  test.each(cases)('%s %s: one message for all wrong texts, with the limits', (_, __, { parseArg }) => {
    const messages = new Set<string>()
    const accepted = texts.filter((text) => {
      try {
        parseArg?.(text, undefined)
        return true
      } catch (error) {
        messages.add((error as Error).message)
        return false
      }
    })
    expect(accepted.filter((text) => text !== '0' && text !== '1.5')).toEqual([])
    expect([...messages]).toEqual([expect.stringMatching(/\d.*\d/)])
  })
})

describe('a closed value with a typing error', () => {
  const command = addConfigFlags(new Command('run'), groups)
  const choices = command.options.flatMap(({ long, argChoices = [] }) =>
    argChoices.filter((value) => value.length > 2).map((value) => [long ?? '', value, argChoices] as const),
  )

  test.each(choices)('%s %s', (flag, value, known) => {
    // Two letters are swapped, one is missing, one is added, all are capitals.
    const typed = [
      `${value.slice(0, -2)}${value.slice(-1)}${value.slice(-2, -1)}`,
      value.slice(0, -1),
      `${value}q`,
      value.toUpperCase(),
    ]
    for (const text of typed.filter((one) => !known.includes(one))) {
      const message = `option '${flag} <x>' argument '${text}' is invalid. Allowed choices are ${known.join(', ')}.`
      const [, named = ''] = /^did you mean (.*)\? $/.exec(suggestChoice(message)) ?? []
      // Another value may be as near: `windows-1251` and `windows-1252`.
      expect(known).toContain(named)
      if (text.toLowerCase() === value) expect(named).toBe(value)
    }
  })

  test('a value that is near to none gets no guess', () => {
    for (const text of ['', 'x', 'larkmoor'])
      expect(
        suggestChoice(`option '--x' argument '${text}' is invalid. Allowed choices are dmy, parquet.`),
      ).toBe('')
  })
})

describe('columns of identifiers', () => {
  test.each<[string, unknown]>([
    ['none', 'none'],
    ['lei=Kennung, website=Web Site', { lei: 'Kennung', website: 'Web Site' }],
    ['LEI=a=b', { lei: 'a=b' }],
    ['registration_id_2=Nr', { registration_id_2: 'Nr' }],
    ['registration_id=Nr,registration_country=Land', { registration_id: 'Nr', registration_country: 'Land' }],
  ])('%s', (text, value) => {
    expect(parseIdColumns(text)).toEqual({ value })
  })

  test('Every key of the config file is a key on the command line', () => {
    for (const key of [...identifierKeys, ...identifierPlaceKeys])
      expect(parseIdColumns(`lei=A,${key}=B`)).toEqual(
        key === 'lei' ? { fault: expect.any(String) as string } : { value: { lei: 'A', [key]: 'B' } },
      )
  })

  test.each(['', 'lei', 'lei=', 'duns=x', 'lei=a,lei=b', 'exchange=a', 'none,lei=a'])('not %j', (text) => {
    expect(parseIdColumns(text)).toHaveProperty('fault')
  })

  test('the key of the file takes the same, and nothing else', () => {
    const read = (identifiers: unknown) => parseConfig({ input: { columns: { identifiers } } }, 'a test')
    expect(read('none')).toMatchObject({ input: { columns: { identifiers: 'none' } } })
    expect(read({ lei: 'a' })).toMatchObject({ input: { columns: { identifiers: { lei: 'a' } } } })
    for (const wrong of ['all', { duns: 'a' }, { lei: '' }, ['lei']])
      expect(() => read(wrong)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})

describe('a table of options', () => {
  const table = {
    name: option({ schema: () => z.string() }),
    pace: {
      perMinute: option({ schema: () => z.number(), defaults: { hosted: 600, embedded: null } }),
      isOn: option({ schema: () => z.boolean(), defaults: useForBoth(true) }),
    },
  }

  test('its schema takes what is left out, and no unknown key at any depth', () => {
    const schema = buildSchema(table)
    expect(schema.safeParse({ pace: {} }).success).toBe(true)
    expect(schema.safeParse({ pace: { perHour: 1 } }).success).toBe(false)
    expect(schema.safeParse({ nothing: 1 }).success).toBe(false)
  })

  test('its defaults are those of the service, below what is given; what has none stays left out', () => {
    expect(fillDefaults(table, {}, 'hosted')).toEqual({ pace: { perMinute: 600, isOn: true } })
    expect(fillDefaults(table, {}, 'embedded')).toEqual({ pace: { perMinute: null, isOn: true } })
    const given = { name: 'x', pace: { perMinute: 5, isOn: false } }
    expect(fillDefaults(table, given, 'embedded')).toEqual(given)
    expectTypeOf(fillDefaults(table, {}, 'hosted').pace.perMinute).toEqualTypeOf<number | null>()
  })
})

test('an unknown error code or exit code does not compile', () => {
  expectTypeOf<'NO_SUCH_CODE'>().not.toExtend<ErrorCode>()
  expectTypeOf<12>().not.toExtend<ExitCode>()
})

test.each([
  ['uy', 'UY'],
  [' DE ', 'DE'],
  ['Armenia', 'AM'],
  ['united kingdom', 'GB'],
  ['UK', 'GB'],
  ['Germany', 'DE'],
  ['Vietnam', 'VN'],
  ['Serbia', 'RS'],
  ['ישראל', 'IL'],
  ['Ελλάδα', 'GR'],
  ['日本', 'JP'],
  ['österreich', 'AT'],
  ['EU', null],
  ['SU', null],
  ['DD', null],
  ['ZZ', null],
  ['zz1', null],
  ['XX', null],
  ['Elbonia', null],
  ['', null],
])('--country %j is %j', (text, code) => {
  expect(parseCountry(text)).toEqual(
    code === null ? { fault: expect.stringContaining('ISO 3166-1') as string } : { value: code },
  )
})

test('--country takes every code of ISO 3166-1 and no other', () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
  const codes = letters.flatMap((one) => letters.map((other) => one + other))
  const taken = codes.filter((code) => code !== 'UK' && !('fault' in parseCountry(code)))
  expect(taken).toEqual([...iso31661.map(({ alpha2 }) => alpha2), 'XK'].sort())
})
