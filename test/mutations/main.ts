import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutations } from './mutations.js'

/**
 * `npm run mutations`: plants each fault in a copy of the project and runs the tests of the fast tier that reach the
 * file, the unit tests first, until one fails. `--full` runs those of the full tier; `--only 7` plants one. Ends with 1
 * where more than two faults are not found.
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, full: { type: 'boolean', default: false } },
})
const missesMax = 2
const root = fileURLToPath(new URL('../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'enrich-mutations-'))
process.once('exit', () => {
  rmSync(copy, { recursive: true, force: true })
})
const isCopied = (path: string) =>
  !/^(node_modules|\.git|dist|release|\.enrich)($|\/)/.test(relative(root, path))
cpSync(root, copy, { recursive: true, filter: isCopied })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

/** The first test that fails, in the output of a run; null where all pass. */
function failingTest(file: string, projects: readonly string[]): string | null {
  const vitest = [
    'vitest',
    'related',
    file,
    '--run',
    '--bail',
    '1',
    '--config',
    'test/vitest.config.ts',
    '--root',
    '.',
  ]
  const chosen = [
    ...(values.full ? ['--mode', 'full'] : []),
    ...projects.flatMap((name) => ['--project', name]),
  ]
  const run = spawnSync('npx', ['--no-install', ...vitest, ...chosen], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  if (run.status === 0) return null
  return /^ *FAIL +(.*)$/m.exec(run.stdout + run.stderr)?.[1] ?? `the run ended with ${run.status}`
}

const build = () => spawnSync('npm', ['run', 'build'], { cwd: copy, stdio: 'ignore' }).status === 0
const steps = [['parts'], values.full ? ['whole', 'both', 'full'] : ['whole', 'both']]
const chosen = mutations.filter((_, at) => values.only === undefined || Number(values.only) === at + 1)
let misses = 0
for (const mutation of chosen) {
  const { file, breaks, from, to } = mutation
  const path = join(copy, file)
  const before = readFileSync(path, 'utf8')
  if (before.split(from).length !== 2) throw new Error(`${file} does not hold this once: ${from}`)
  writeFileSync(
    path,
    before.replace(from, () => to),
  )
  if (!build()) throw new Error(`${file} with this does not build: ${to}`)
  let found: string | null = null
  for (const projects of steps) found ??= failingTest(file, projects)
  writeFileSync(path, before)
  if (found === null) misses++
  const number = String(mutations.indexOf(mutation) + 1).padStart(2)
  process.stdout.write(`${number} ${found === null ? 'NOT FOUND' : 'found'}: ${breaks} (${file})\n`)
  if (found !== null) process.stdout.write(`     by ${found}\n`)
}
process.stdout.write(`${chosen.length - misses} of ${chosen.length} faults found\n`)
process.exitCode = misses > missesMax ? 1 : 0
