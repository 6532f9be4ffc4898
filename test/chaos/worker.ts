import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { surroundings } from '../support/cli.js'

const dist = new URL('../../dist/', import.meta.url)

/** In milliseconds: short, so that many run out within minutes. */
export const times = { lease: 2_000, renewEvery: 300, clockJumpMax: 5_000 }

/** What is loaded before the command: its own lease, with other times. */
export const shortLease = `
  const { leaseTimes, openWorker } = await import(${JSON.stringify(new URL('pipeline/checkpoint/postgres/lease.js', dist).href)})
  Object.assign(leaseTimes, ${JSON.stringify(times)})`

/** For the negative control: a process submits whether or not its lease holds. */
const unchecked = `
  const server = { systemIdentifier: '', timeline: 0 }
  const prompt = { query: async () => [{ workerId: 0, ...server }] }
  const clock = { nowMs: Date.now, monotonicMs: () => performance.now() }
  const worker = await openWorker({ prompt, server, clock, job: '' })
  Object.getPrototypeOf(worker).mayLeave = () => true
  await worker.close()`

export interface WorkerPlace {
  /** Private to it; the input, the config and the output lie in it. */
  readonly folder: string
  readonly names: readonly string[]
  readonly checkpoint: string
  readonly serviceUrl: string
  readonly lookupsMax: number
  /** The negative control. */
  readonly isUnchecked: boolean
  /** What its command begins with, where it has a network of its own. */
  readonly entry: readonly string[]
}

export interface Ended {
  readonly code: number | null
  readonly stderr: string
}

const config = {
  limits: { submitPerMinute: 60_000, pollPerMinute: 60_000, submitConcurrency: 16, inFlightRunsMax: 64 },
  polling: { firstAfterSeconds: 0.3, intervalSeconds: 0.3 },
}

/** The real command over a shared checkpoint, that is killed, stopped, and started again. */
export class ChaosWorker {
  readonly place: WorkerPlace
  #child: ChildProcess | null = null
  #isStopped = false

  constructor(place: WorkerPlace) {
    this.place = place
    writeFileSync(join(place.folder, 'pipeline.config.json'), JSON.stringify(config))
    writeFileSync(join(place.folder, 'in.csv'), `name\n${place.names.join('\n')}\n`)
  }

  get outputPath(): string {
    return join(this.place.folder, 'out.csv')
  }

  get isRunning(): boolean {
    return this.#child !== null
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Until it ends, by itself or killed. `accepts`: the operator goes on with a server that took over. */
  async run(accepts: boolean): Promise<Ended> {
    const { folder, checkpoint, serviceUrl, lookupsMax, isUnchecked, entry } = this.place
    const before = shortLease + (isUnchecked ? unchecked : '')
    const [program, ...first] = [...entry, process.execPath] as unknown as [string, ...string[]]
    const child = spawn(
      program,
      [
        ...first,
        '--import',
        `data:text/javascript,${encodeURIComponent(before)}`,
        fileURLToPath(new URL('cli/main.js', dist)),
        'in.csv',
        '-o',
        'out.csv',
        '--partial',
        '--quiet',
        '--job',
        'chaos',
        '--max-lookups',
        String(lookupsMax),
        '--checkpoint',
        checkpoint,
        ...(accepts ? ['--accept-rollback'] : []),
      ],
      {
        cwd: folder,
        env: {
          ...surroundings,
          TMPDIR: folder,
          ENRICH_BASE_URL: serviceUrl,
          ENRICH_API_KEY: 'key-of-the-chaos',
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    const killWithParent = () => child.kill('SIGKILL')
    process.once('exit', killWithParent)
    this.#child = child
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    process.off('exit', killWithParent)
    this.#child = null
    this.#isStopped = false
    return { code, stderr }
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  /** A machine that sleeps so long. */
  async stopFor(ms: number): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#isStopped = true
    child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, ms))
    child.kill('SIGCONT')
    if (child === this.#child) this.#isStopped = false
  }
}
