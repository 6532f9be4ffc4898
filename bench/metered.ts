import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'

export interface Metered {
  wallMs: number
  /** User and system, of all threads. */
  cpuMs: number
  /** Of these, the first thread's, and how long it was ready and waited for a core; NaN where nothing says so. */
  mainCpuMs: number
  mainWaitedMs: number
  peakBytes: number
  stdout: string
}

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs in the process that is measured, as it ends. On Linux the peak is that of the program: `maxRSS` would be
 * no less than what the bench itself held when it started it.
 */
const meter = `
  import { readFileSync, writeFileSync } from 'node:fs'
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    const peak = process.platform === 'linux' ? /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) : null
    const [main, waited] = process.platform === 'linux'
      ? readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ') : []
    const figures = {
      cpuMs: (userCPUTime + systemCPUTime) / 1000,
      mainCpuMs: main / 1e6,
      mainWaitedMs: waited / 1e6,
      peakBytes: Number(peak?.[1] ?? maxRSS) * 1024,
    }
    writeFileSync(process.env.BENCH_METER, JSON.stringify(figures))
  })`

/** Node.js with these arguments, from its start to its end. Throws, with what it said, if it fails. */
export async function runMetered(
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Metered> {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-bench-meter-'))
  const figuresPath = join(folder, 'figures.json')
  try {
    const startedAtMs = performance.now()
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(meter)}`]
    const child = spawn(process.execPath, [...preload, ...args], {
      cwd: options.cwd ?? root,
      // Nothing of the surroundings: an ENRICH_ variable must not steer what is measured.
      env: { PATH: process.env['PATH'], BENCH_METER: figuresPath, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close') as Promise<[number | null]>
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = await ended
    const wallMs = performance.now() - startedAtMs
    if (code !== 0) throw new Error(`${args[0] ?? ''} ended with ${String(code)}: ${stderr}${stdout}`)
    const figures = JSON.parse(readFileSync(figuresPath, 'utf8')) as Omit<Metered, 'wallMs' | 'stdout'>
    return { wallMs, stdout, ...figures }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A module beside this one, run without a loader in its process, whose work would count as its own.
 * `process.argv[1]` is `argument`.
 */
export function runPeer(module: string, argument: object): Promise<Metered> {
  const source = readFileSync(new URL(module, import.meta.url), 'utf8')
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2023 }
  const code = transpileModule(source, { compilerOptions }).outputText
  return runMetered(['--input-type=module', '--eval', code, JSON.stringify(argument)])
}
