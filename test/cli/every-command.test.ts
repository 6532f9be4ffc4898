import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandNames, completeCommands } from '../../src/cli/terminal/command-io.js'
import { createPlace, type CliPlace } from '../support/cli.js'
import {
  argsOf,
  commandCases,
  commandsOfProgram,
  copyOf,
  everyState,
  optionsOf,
  type CommandCase,
} from '../support/every-command.js'
import { startInPty } from '../support/pty.js'

interface Line {
  type: string
  code?: string
  exitCode?: number
}

/** Each line is JSON; a text that is none of it fails here. */
const linesOf = (stdout: string): Line[] => {
  expect(stdout.endsWith('\n') || stdout === '').toBe(true)
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
}

const commands = await commandsOfProgram()
// It speaks a protocol of its own, see mcp.test.ts.
commands.delete('mcp')
const removals: (() => void)[] = []
let state: CliPlace
beforeAll(async () => {
  state = await everyState((remove) => removals.push(remove))
})
afterAll(() => {
  for (const remove of removals) remove()
})

/** Sends the signal that ends a command that stands, as soon as it does. */
async function startAndStop(place: CliPlace, args: readonly string[], command: CommandCase) {
  const running = place.start(args, { ...optionsOf(command), stdin: null })
  await running.sees(/Serving at|Receiving webhooks at|Review at/)
  running.child.kill('SIGTERM')
  return running.ended
}

test('every command of the program is listed here with a case, and no other', () => {
  expect(Object.keys(commandCases).sort()).toEqual([...commands.keys()].sort())
  expect([...commandNames].sort()).toEqual(
    [...new Set(['mcp', ...[...commands.keys()].map((name) => name.split(' ')[0])])].sort(),
  )
})

describe.each(Object.entries(commandCases))('%s', (name, command) => {
  test('with --json writes JSON lines alone to standard output, each with its type', async () => {
    const place = copyOf(state)
    const args = [...(await argsOf(command, place)), '--json']
    const { code, stdout, stderr } = await (command.stands
      ? startAndStop(place, args, command)
      : place.run(args, optionsOf(command)))
    expect([code, stderr]).toEqual([command.stands ? 0 : (command.code ?? 0), expect.any(String)])
    const types = linesOf(stdout).map(({ type }) => type)
    expect([...new Set(types)].filter((type) => type !== 'progress')).toEqual(command.types)
    // Nothing that only a running command needs stays behind.
    expect(place.listSideFiles()).toEqual([])
  })

  test('its help is no wider than 80 columns', () => {
    const help: string[] = []
    const command = commands.get(name)!
    command.configureOutput({ writeOut: (text) => help.push(text) }).outputHelp()
    expect(help.join('')).toMatch(/^Usage: enrich /)
    expect(
      help
        .join('')
        .split('\n')
        .filter((line) => line.length > 80),
    ).toEqual([])
  })
})

/** Commands that never ask whether there is a terminal: they print words and draw nothing. */
const printing = Object.keys(commandCases).filter((name) => /^(accounts|checkpoint) /.test(name))
/** Of these, every third runs on a terminal too. */
const piped = printing.filter((_, index) => index % 3 !== 0)
const shownCodes = /\\u00|\\x1b|\[2K|\[J|\[\?7/
// oxlint-disable-next-line no-control-regex -- a control sequence is what is looked for
const colour = /\u001b\[[0-9;]*m/

test.each(Object.entries(commandCases).filter(([name]) => !piped.includes(name)))(
  '%s on a terminal writes words alone: no code is shown as text, and none colours them',
  async (_, command) => {
    const place = copyOf(state)
    const pty = startInPty(place, await argsOf(command, place), optionsOf(command))
    if (command.stands) {
      await pty.sees(/Serving at|Receiving webhooks at|Review at/)
      pty.types('\u0003')
    }
    expect(await pty.ended).toBe(command.stands ? 0 : (command.code ?? 0))
    const screen = (await pty.screen()).join('\n')
    expect(screen).not.toMatch(shownCodes)
    expect(pty.raw()).not.toMatch(colour)
    expect((await pty.cursor())[0]).toBe(0)
  },
)

test.each(piped)('%s writes words alone: no code is shown as text, and none colours them', async (name) => {
  const place = copyOf(state)
  const command = commandCases[name]!
  const { code, stdout, stderr } = await place.run(await argsOf(command, place), optionsOf(command))
  expect(code).toBe(command.code ?? 0)
  expect(stdout + stderr).toMatch(/\S\n$/)
  expect(stdout + stderr).not.toMatch(shownCodes)
  expect(stdout + stderr).not.toMatch(colour)
})

// One place reports the errors of all commands.
test.each(Object.keys(commandCases).filter((_, index) => index % 3 === 0))(
  '%s with --json tells an error as one line, with the code that it ends with',
  async (name) => {
    const place = createPlace()
    const { code, stdout } = await place.run([...name.split(' '), '--nope', '--json'])
    expect([code, linesOf(stdout)]).toEqual([
      2,
      [
        {
          type: 'error',
          code: 'USAGE_INVALID',
          message: expect.any(String),
          hint: expect.any(String),
          exitCode: 2,
        },
      ],
    ])
  },
)

describe('enrich alone', () => {
  test('prints the three most usual commands, and ends with 2: nothing was done', async () => {
    const { code, stdout, stderr } = await createPlace().run([])
    expect([code, stderr]).toEqual([2, ''])
    expect(stdout.match(/^ {2}enrich .*$/gm)).toHaveLength(3)
    expect(stdout.split('\n').length).toBeLessThan(12)
    expect(stdout).toContain('Nothing was done')
  })

  test('does what the config of the folder says where it names an input', async () => {
    const place = createPlace()
    place.write('in.csv', 'company\nApple\n')
    place.write(
      'pipeline.config.json',
      JSON.stringify({ input: { paths: ['in.csv'] }, output: { path: 'out.csv' } }),
    )
    expect((await place.run([])).code).toBe(0)
    expect(place.names()).toContain('out.csv')
  })

  test('the whole help is no wider than 80 columns', async () => {
    const { stdout } = await createPlace().run(['--help'])
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})

describe('commands that are printed', () => {
  const npx = { npm_command: 'exec', npm_lifecycle_script: 'enrich' }

  test('under npx they say npx --no-install, once', async () => {
    const place = createPlace()
    place.write('in.csv', 'company\nApple\nNobody at All\n')
    const options = { env: npx }
    const printed: string[] = []
    for (const args of [
      ['plan', 'in.csv'],
      ['in.csv', '-o', 'out.csv', '--max-lookups', '1'],
      ['status'],
      ['nothere.csv', '-o', 'out.csv'],
      ['staus'],
      [],
      ['status', '--checkpoint', 'none.sqlite'],
      ['accounts', 'list', '--data', 'none'],
      ['registry', 'info', '--registry', 'none.sqlite'],
      ['--help'],
      ['retry', 'in.csv', '-o', 'out.csv', '--status', 'uncertain', '--json'],
    ]) {
      // The process of commands replaces the name as the program does; three of them are of the program itself.
      const isOwn = ['plan', 'in.csv', 'staus'].includes(args[0] ?? '')
      const { stdout, stderr } = await (isOwn ? place.start(args, options).ended : place.run(args, options))
      printed.push(stdout, stderr)
    }
    const text = printed.join('')
    expect(text).toMatch(/^ {2}resume {4}npx --no-install enrich in\.csv -o out\.csv --max-lookups 1$/m)
    expect(text).toMatch(/^Next: npx --no-install enrich in\.csv -o out\.parquet$/m)
    expect(text).toMatch(/hint: .*npx --no-install enrich accounts add NAME/)
    expect(text).not.toMatch(/no-install npx|npx (?!--no-install)/)
    // No command is left that would be looked for on the path, or in a registry.
    const bare = new RegExp(`(?<!no-install )\\benrich (?:(?:${commandNames.join('|')})\\b|-|\\S+ -o )`)
    expect(bare.exec(text)).toBeNull()
  })

  test.each([
    ['This is a bug in enrich; the same command resumes.', false],
    ['a newer version of enrich wrote it', false],
    ['hint: enrich registry import csv FILE', true],
    ['enrich companies.csv -o out.parquet', true],
    ["enrich 'my file' -o …", true],
    ['/srv/enrich run', false],
  ])('%s: under npx it is changed: %s', (text, isChanged) => {
    expect(completeCommands(text, { program: 'npx --no-install enrich', argv: [] }) !== text).toBe(isChanged)
    expect(completeCommands(text, { program: 'enrich', argv: ['--checkpoint', 'a.sqlite'] })).toBe(text)
  })

  test.each([
    [
      'enrich checkpoint verify lists the damage; enrich checkpoint repair keeps the rest',
      ['--checkpoint', 'a b.sqlite'],
      "enrich checkpoint verify --checkpoint 'a b.sqlite' lists the damage; enrich checkpoint repair --checkpoint 'a b.sqlite' keeps the rest",
    ],
    [
      'enrich status --uncertain (enrich reconcile LEDGER.csv settles them)',
      ['in.csv', '-c', 'nightly.json', '--checkpoint=$&.sqlite'],
      "enrich status -c nightly.json --checkpoint '$&.sqlite' --uncertain (enrich reconcile -c nightly.json --checkpoint '$&.sqlite' LEDGER.csv settles them)",
    ],
    ['enrich diff --checkpoint a.sqlite', ['--checkpoint', 'a.sqlite'], 'enrich diff --checkpoint a.sqlite'],
    ['enrich runs lists them', ['--checkpoint', 'postgres://me:pw@h/d'], 'enrich runs lists them'],
  ])('%s: commands name the checkpoint that was typed', (text, argv, expected) => {
    expect(completeCommands(text, { program: 'enrich', argv })).toBe(expected)
  })
})
