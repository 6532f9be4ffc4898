import { expect, test } from 'vitest'
import { quote } from '../../src/cli/terminal/command-io.js'
import { buildExportCommand } from '../../src/cli/terminal/summary-text.js'
import { commandsOfProgram } from '../support/every-command.js'

const commands = await commandsOfProgram()
const flagsOf = (name: string) =>
  (commands.get(name)?.options ?? []).flatMap(({ long, required, optional }) =>
    // Help ends the command: nothing is exported after it.
    long === undefined || long === '--help-all' ? [] : [{ long, required, optional }],
  )
const exported = new Set(flagsOf('export').map(({ long }) => long))

test.each(['run', 'retry'])(
  'the command that exports has no flag of %s that export does not take',
  (name) => {
    expect(flagsOf(name).length).toBeGreaterThan(exported.size)
    for (const { long, required, optional } of flagsOf(name))
      for (const value of ['8', "it's a --json, 5%"]) {
        const isKept = exported.has(long) && long !== '--json'
        const shown = [
          ...(required ? [] : [long]),
          ...(required || optional ? [`${long} ${quote(value)}`, quote(`${long}=${value}`)] : []),
        ]
        for (const text of shown)
          expect(buildExportCommand(`enrich ${name} a.csv ${text} -o out.csv --bom`)).toBe(
            `enrich export a.csv ${isKept ? `${text} ` : ''}-o out.csv --bom`,
          )
      }
  },
)

test.each([
  ['enrich', 'enrich export'],
  ['enrich run', 'enrich export'],
  ['npx --no-install enrich --config other.json', 'npx --no-install enrich export --config other.json'],
  ['/opt/enrich/bin/enrich retry a.csv -o b.csv', '/opt/enrich/bin/enrich export a.csv -o b.csv'],
])('a run by its config, or by a path, is exported too: %s', (command, exported) => {
  expect(buildExportCommand(command)).toBe(exported)
})
