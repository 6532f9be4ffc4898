import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, type TestContext } from 'vitest'
import { exitCodes } from '../../src/core/errors.js'
import { canary, createPlace, mainPath } from '../support/cli.js'
import { hasProgram } from '../support/skipped.js'
import { readJsonLines } from '../support/json-lines.js'

/**
 * The recipes for several machines type commands that are understood: each comes as far as the database, which is not there.
 * What engines set is set here. parallel.sh is run as a whole in several-machines.test.ts.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const recipes = join(root, 'examples/several-machines')
const read = (name: string) => readFileSync(join(recipes, name), 'utf8')
/** No host has such a name, which is known without a network: a run does not wait for it as for a server that restarts. */
const nowhere = `postgres://enrich@${'x'.repeat(64)}.invalid/enrich`
const hasPython = hasProgram('python3')

async function typed(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
) {
  const place = createPlace(onTestFinished)
  const bin = join(dirname(place.folder), 'bin')
  for (const name of [bin, place.path('in'), place.path('out')]) mkdirSync(name)
  place.write('in/companies.csv', 'company_name\nApple Inc.\nSAP SE\n')
  place.write('in/more.csv', 'company_name\nUnilever PLC\n')
  // As npm does where a package is installed.
  chmodSync(mainPath, 0o755)
  symlinkSync(mainPath, join(bin, 'enrich'))
  const child = spawn(command, args, {
    cwd: place.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: place.temporaryFolder,
      PYTHONDONTWRITEBYTECODE: '1',
      ENRICH_CHECKPOINT: nowhere,
      ENRICH_BASE_URL: 'http://127.0.0.1:1',
      ENRICH_API_KEY: canary,
      ...environment,
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, said }
}

const unreachable = expect.stringContaining('CHECKPOINT_UNREACHABLE') as string
/** Where they are to be run, and from what. */
const local = (text: string) => text.replace(/postgres:\/\/[^\s"']+/g, nowhere).replaceAll('.parquet', '.csv')

const slurm = (id: number, tasks: number) => ({
  SLURM_ARRAY_TASK_ID: String(id),
  SLURM_ARRAY_TASK_COUNT: String(tasks),
  SLURM_ARRAY_TASK_MIN: '1',
  SLURM_ARRAY_TASK_MAX: String(tasks),
})

test.concurrent(
  'what the recipe for Slurm types is understood, in each task of an array',
  async (context) => {
    const args = [join(recipes, 'slurm-array.sh'), 'a-job', 'out/out.csv', 'in/*.csv']
    expect(await typed(context, 'sh', args, { ...slurm(2, 2), ENRICH_API_KEY_FILE: '' })).toEqual({
      status: 5,
      said: unreachable,
    })
    const others = { ...slurm(2, 2), SLURM_ARRAY_TASK_MAX: '5' }
    expect(await typed(context, 'sh', args, others)).toEqual({
      status: 2,
      said: expect.stringContaining('PARTITION_UNCLEAR') as string,
    })
  },
)

test.concurrent.for<[name: string, environment: Record<string, string>]>([
  ['kubernetes-indexed-job.yaml', { JOB_COMPLETION_INDEX: '63' }],
  ['kubernetes-collect.yaml', {}],
])('what %s types is understood', async ([name, environment], context) => {
  const args = argsOf(read(name)).map(local)
  expect(args.length).toBeGreaterThan(5)
  expect(await typed(context, 'enrich', args, environment)).toEqual({ status: 5, said: unreachable })
})

test.concurrent(
  'the manifest for Kubernetes has as many parts as completions, and names exit codes that there are',
  () => {
    const text = read('kubernetes-indexed-job.yaml')
    const completions = /^ {2}completions: (\d+)$/m.exec(text)?.[1] ?? 'none'
    expect(argsOf(text)).toContain(`/${completions}`)
    const codes = [...text.matchAll(/values: \[([\d, ]+)\]/g)].flatMap(([, list = '']) => list.split(', '))
    expect(codes.length).toBeGreaterThan(3)
    expect(codes.filter((code) => !(code in exitCodes))).toEqual([])
    const job = argsOf(text)[argsOf(text).indexOf('--job') + 1]
    expect(argsOf(read('kubernetes-collect.yaml'))).toContain(job)
  },
)

test
  .skipIf(!hasPython)
  .concurrent('what the recipe for Dask types on a worker is understood', async (context) => {
    const call = `import dask_parts; dask_parts.run(2, 2, 'a-job', '${nowhere}', 'out/out.csv', ['in/companies.csv', 'in/more.csv'])`
    const { status, said } = await typed(context, 'python3', ['-c', call], { PYTHONPATH: recipes })
    expect([status, said]).toEqual([1, unreachable])
    expect(said).toContain('part 2 of 2 ended with 5')
  })

/** Prints what a DAG's tasks are, in place of running them. */
const airflowStandIn = `
import json, sys, types
def show(**task): print(json.dumps({name: task.get(name) for name in ("task_id", "bash_command", "env")}))
class BashOperator:
    def __init__(self, **task): show(**task)
    def __rrshift__(self, other): return self
    def __rshift__(self, other): return other
    @classmethod
    def partial(cls, **shared):
        class Partial:
            def expand(self, env):
                for one in env: show(**shared, env=one)
                return cls.__new__(cls)
        return Partial()
class DAG:
    def __init__(self, *names, **settings): pass
    def __enter__(self): return self
    def __exit__(self, *error): pass
airflow, bash = types.ModuleType("airflow"), types.ModuleType("airflow.operators.bash")
airflow.DAG, bash.BashOperator = DAG, BashOperator
sys.modules.update({"airflow": airflow, "airflow.operators": types.ModuleType("operators"), "airflow.operators.bash": bash})
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"))
`

test
  .skipIf(!hasPython)
  .concurrent('what the recipe for Airflow types is understood, in a task for each part', async (context) => {
    const path = join(recipes, 'airflow_parts.py')
    const { stdout, stderr, status } = spawnSync('python3', ['-c', airflowStandIn, path], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    const tasks = readJsonLines<{
      task_id: string
      bash_command: string
      env: Record<string, string> | null
    }>(stdout)
    const parts = tasks.filter(({ task_id: id }) => id === 'part')
    expect(parts.map(({ env }) => env?.['ENRICH_PARTITION'])).toEqual(
      Array.from({ length: 64 }, (_, at) => `${at + 1}/64`),
    )
    const [last, collect, ...others] = tasks.slice(63)
    expect([last?.task_id, collect?.task_id, others]).toEqual(['part', 'collect', []])
    const ends = [last, collect].map((task) => {
      const command = local((task?.bash_command ?? '').replaceAll('{{ ds }}', '2026-01-31'))
      expect(command).not.toContain('{')
      return typed(context, 'bash', ['-c', command], task?.env ?? {})
    })
    const unreached = { status: 5, said: unreachable }
    expect(await Promise.all(ends)).toEqual([unreached, unreached])
  })

test('every recipe stands in the page on partitions, with what was tried', () => {
  const page = readFileSync(join(root, 'docs/manual/several-machines.md'), 'utf8')
  const names = readdirSync(recipes).filter((name) => !name.startsWith('__'))
  expect(names.filter((name) => !page.includes(`(../../examples/several-machines/${name})`))).toEqual([])
})

/** Of a container: the items of its `args`. */
function argsOf(manifest: string): string[] {
  const block = /^( +)args:\n((?:\1 +- .*\n)+)/m.exec(manifest)?.[2] ?? ''
  return [...block.matchAll(/- (.*)/g)].map(([, item = '']) => item)
}
