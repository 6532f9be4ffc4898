import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createPlace, mainPath } from '../support/cli.js'
import { tellSkipped } from '../support/skipped.js'
import { makeFolder } from '../support/temporary-folder.js'
import { readJsonLines } from '../support/json-lines.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const example = (name: string) => join(root, 'examples', name)

/** A folder with an input, and `enrich` as an installed command and as a package. */
function installed(): { folder: string; environment: Record<string, string> } {
  const folder = makeFolder()
  for (const name of ['bin', 'node_modules', 'fixtures']) mkdirSync(join(folder, name))
  // As npm does where a package is installed.
  chmodSync(mainPath, 0o755)
  symlinkSync(mainPath, join(folder, 'bin', 'enrich'))
  symlinkSync(root, join(folder, 'node_modules', 'enrich'))
  for (const path of ['companies.csv', 'fixtures/companies.csv']) {
    copyFileSync(join(root, 'fixtures/companies.csv'), join(folder, path))
  }
  return { folder, environment: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` } }
}

test('the example of the library runs as it is, and stands in the page on the library', () => {
  const { folder, environment } = installed()
  const script = readFileSync(example('library.mjs'), 'utf8')
  expect(readFileSync(join(root, 'docs/reference/library.md'), 'utf8')).toContain(script.trim())
  copyFileSync(example('library.mjs'), join(folder, 'library.mjs'))
  const said = execFileSync('node', ['library.mjs'], { cwd: folder, env: environment, encoding: 'utf8' })
  expect(said).toMatch(/matched: \d+/)
  expect(said).toMatch(/complete/)
})

test.each([
  [
    'crm',
    {
      'Apple Inc.': 'matched',
      'Unilever PLC': 'matched',
      'Siemens Aktiengesellschaft': 'matched',
      'SAP SE': 'matched',
      '': 'invalid_input',
      'Rolls-Royce Motor Cars Limited': 'matched',
    },
  ],
  [
    'suppliers',
    {
      'Tesco Stores Limited': 'matched',
      'Rolls-Royce plc': 'matched',
      'Barclays Bank PLC': 'matched',
      'BP p.l.c.': 'matched',
      'Microsoft Limited': 'matched',
      '': 'inconclusive',
    },
  ],
  [
    'securities',
    {
      'Apple Inc.': 'matched',
      'Microsoft Corporation': 'matched',
      'International Business Machines Corporation': 'matched',
      'Vodafone Group Public Limited Company': 'matched',
      'Siemens Energy AG': 'matched',
    },
  ],
])('the list %s is asked by its identifiers, with every stage', async (name, expected) => {
  const place = createPlace()
  const list = place.write(`${name}.csv`, readFileSync(example(`lists/${name}.csv`)))
  const columns = 'status,legal_name,entity_record_status,hierarchy_status,domain_status'
  const args = [
    list,
    '-o',
    'out.ndjson',
    '--quiet',
    '--columns',
    columns,
    '--with',
    'entity,hierarchy,domain',
  ]
  const { code } = await place.run(args)
  expect(code).toBe(0)
  const rows = readJsonLines<Record<string, string | null>>(place.read('out.ndjson'))
  expect(
    Object.fromEntries(rows.map((row) => [row['enrich_legal_name'] ?? '', row['enrich_status']])),
  ).toEqual(expected)
  for (const row of rows) {
    const stages = ['entity_record', 'hierarchy'].map((stage) => row[`enrich_${stage}_status`])
    const isMatched = row['enrich_status'] === 'matched'
    expect(stages).toEqual(isMatched ? ['complete', 'completed'] : [null, null])
  }
})

const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) tellSkipped('the examples in Python, since there is no python3')

test.skipIf(!hasPython)('the examples for Airflow and Dagster are Python', () => {
  const check = 'import ast, sys; ast.parse(sys.stdin.read())'
  for (const name of ['airflow_dag.py', 'dagster_asset.py']) {
    const input = readFileSync(example(name), 'utf8')
    expect(spawnSync('python3', ['-c', check], { input }).status).toBe(0)
  }
})

test.skipIf(!hasPython)(
  'the example in Python reads the events of a run, and is in the page on scripting',
  () => {
    const { folder, environment } = installed()
    const script = readFileSync(example('summary.py'), 'utf8')
    expect(readFileSync(join(root, 'docs/reference/scripting.md'), 'utf8')).toContain(script.trim())
    copyFileSync(example('summary.py'), join(folder, 'summary.py'))
    const run = (...command: string[]) =>
      spawnSync('python3', ['summary.py', ...command], { cwd: folder, env: environment, encoding: 'utf8' })
    const args = ['companies.csv', '-o', 'out.parquet']
    // In a clone, the command has several words.
    for (const command of [['enrich'], [process.execPath, mainPath]])
      expect(run(...command, ...args)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("'matched': 155"),
      })
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^usage: python3 summary.py /) })
    rmSync(join(folder, 'companies.csv'))
    expect(run('enrich', ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('INPUT_NOT_FOUND: '),
    })
  },
)

test('every example is listed with whether it is tried', () => {
  const table = readFileSync(example('README.md'), 'utf8')
  const files = readdirSync(join(root, 'examples')).filter((name) => name !== 'README.md')
  expect(files.filter((name) => !table.includes(`[${name}](${name})`))).toEqual([])
})
