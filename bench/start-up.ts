import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { ratio, type Say } from './support.js'

/** How many times the CPU of `node -e 0` a command may take that does next to nothing. */
const limits: Readonly<Record<string, number>> = { 'enrich --help': 3, 'enrich plan': 5, 'enrich status': 5 }
const rounds = 9

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** Commands that do next to nothing, round by round with `node -e 0`. Needs `npm run build`. */
export function reportStartUp(say: Say): Promise<void> {
  if (!existsSync(main)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it')
  const folder = mkdtempSync(join(tmpdir(), 'enrich-bench-start-'))
  try {
    writeFileSync(join(folder, 'companies.csv'), 'company_name,city\nAcme GmbH,Bonn\nBolt Ltd,Leeds\n')
    const commands: Readonly<Record<string, readonly string[]>> = {
      'node -e 0': ['-e', '0'],
      'enrich --help': [main, '--help'],
      'enrich plan': [main, 'plan', 'companies.csv'],
      'enrich status': [main, 'status', '--checkpoint', 'none.sqlite'],
    }
    const took = new Map(Object.keys(commands).map((name) => [name, [] as number[]]))
    for (let round = 0; round <= rounds; round++)
      for (const [name, args] of Object.entries(commands)) {
        const cpuMs = cpuMsOf(args, folder)
        // The first round fills the system's cache.
        if (round > 0) took.get(name)?.push(cpuMs)
      }
    const [[, peerTimes = []] = [], ...others] = took
    const peerMs = medianOf(peerTimes)
    say(`  node -e 0       ${peerMs.toFixed(0).padStart(4)} ms of CPU, median of ${rounds}`)
    for (const [name, times] of others) {
      const ms = medianOf(times)
      const limit = limits[name] ?? NaN
      say(
        `  ${name.padEnd(14)}  ${ms.toFixed(0).padStart(4)} ms: ${ratio(ms / peerMs)} times node -e 0, ` +
          `${ratio(ms / peerMs / limit)} of the limit of ${limit} times`,
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return Promise.resolve()
}

/** User and system of the whole process, its end too: Node.js cannot tell that of its children, and bash can. */
function cpuMsOf(args: readonly string[], folder: string): number {
  const timed = spawnSync(
    'bash',
    ['-c', `TIMEFORMAT='%3U %3S'; time "$@" >/dev/null`, 'bash', process.execPath, ...args],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' }, encoding: 'utf8' },
  )
  const [, user, system] = /([\d.]+) ([\d.]+)\s*$/.exec(timed.stderr) ?? []
  if (user === undefined) throw new Error(`bash cannot time ${args.join(' ')}: ${timed.stderr}`)
  return (Number(user) + Number(system)) * 1000
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
