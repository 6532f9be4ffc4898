import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const dist = new URL('../../../dist/', import.meta.url)

/** In milliseconds: short, so that claims run out within seconds. */
const times = { claimMs: 2_000, claimLookMs: 300 }

/** What is loaded before the command: its own limits, with other times. */
const shortClaims = `
  const { limits } = await import(${JSON.stringify(new URL('service/limits.js', dist).href)})
  Object.assign(limits, ${JSON.stringify(times)})`

export const claimMs = times.claimMs

export interface ReplicaPlace {
  /** Private to it. */
  readonly folder: string
  readonly databaseUrl: string
  readonly apiKey: string
  readonly faultsPath: string
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The real `enrich serve`, one of several on a database, that is killed, stopped, and started again at its address. */
export class Replica {
  readonly #place: ReplicaPlace
  #child: ChildProcess | null = null
  #isStopped = false
  #url = ''
  /** What it said, over all its starts. */
  said = ''

  constructor(place: ReplicaPlace) {
    this.#place = place
  }

  get url(): string {
    return this.#url
  }

  get isUp(): boolean {
    return this.#child !== null && !this.#isStopped
  }

  /** Resolves when it serves; tries again where the database is away. */
  async start(): Promise<void> {
    for (let turn = 0; turn < 60; turn++) {
      if (await this.#startOnce()) return
      await pause(250)
    }
    throw new Error(`a replica does not start: ${this.said.slice(-2_000)}`)
  }

  async #startOnce(): Promise<boolean> {
    const { folder, databaseUrl, apiKey, faultsPath } = this.#place
    const listen = this.#url === '' ? '127.0.0.1:0' : new URL(this.#url).host
    const child = spawn(
      process.execPath,
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(shortClaims)}`,
        fileURLToPath(new URL('cli/main.js', dist)),
        'serve',
        '--listen',
        listen,
        '--data',
        databaseUrl,
        '--matchers',
        '0',
        '--research-seconds',
        '0:0.5',
        '--allow-local-webhooks',
        '--faults',
        faultsPath,
      ],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'], TMPDIR: folder, ENRICH_SERVE_API_KEY: apiKey },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    )
    const killWithParent = () => child.kill('SIGKILL')
    process.once('exit', killWithParent)
    let said = ''
    const serves = new Promise<boolean>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        this.said += chunk.toString()
        const url = /Serving at (http:\S+),/.exec(said)?.[1]
        if (url === undefined) return
        this.#url = url
        resolve(true)
      })
      child.once('close', () => {
        process.off('exit', killWithParent)
        if (this.#child === child) this.#child = null
        resolve(false)
      })
    })
    const isServing = await serves
    if (isServing) this.#child = child
    return isServing
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#child = null
    const closed = once(child, 'close')
    child.kill('SIGKILL')
    await closed
  }

  /** A machine that sleeps so long. */
  async stopFor(ms: number): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#isStopped = true
    child.kill('SIGSTOP')
    await pause(ms)
    child.kill('SIGCONT')
    this.#isStopped = false
  }

  /** In order; gives the exit code. */
  async end(): Promise<number | null> {
    const child = this.#child
    if (child === null) return null
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    const [code] = (await closed) as [number | null]
    return code
  }
}
