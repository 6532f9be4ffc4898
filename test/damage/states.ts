import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFacts, HeadFile, readPlace, readHead } from '../../src/pipeline/checkpoint/sqlite/head-file.js'
import { openToWrite } from '../../src/pipeline/checkpoint/sqlite/open-database.js'
import { surroundings } from '../support/cli.js'
import { childrenVariable } from '../support/child-process.js'
import { CommandHost } from '../support/command-host.js'
import { startTrueService, type Billed } from '../support/true-service.js'
import type { Chance } from '../simulation/chance.js'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
export const apiKey = 'key-of-the-damage-trials'
const host = new CommandHost(fileURLToPath(new URL('../../dist/cli/program.js', import.meta.url)))

/** What a job left at some moment, and what was charged until then. */
export interface State {
  readonly folder: string
  readonly ledger: readonly Billed[]
}

/** The true service, over HTTP. */
export interface MeteredService {
  readonly url: string
  /** What was charged so far; set to go back to an earlier time. */
  ledger: Billed[]
  /** Called with the number of requests since it was set, before each reply. A command killed then knows no reply. */
  onRequest: (count: number) => void
  close(): Promise<void>
}

export async function startMeteredService(): Promise<MeteredService> {
  let requestCount = 0
  let onRequest: MeteredService['onRequest'] = () => undefined
  const reply = () => {
    onRequest(++requestCount)
    return undefined
  }
  const { service, baseUrl, close } = await startTrueService({ reply })
  return {
    url: baseUrl,
    close,
    get ledger() {
      return service.ledger
    },
    set ledger(ledger) {
      service.ledger = [...ledger]
    },
    get onRequest() {
      return onRequest
    },
    set onRequest(listener) {
      requestCount = 0
      onRequest = listener
    },
  }
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** The real command, in a folder; one that is not killed runs in the tests' process for commands, if that is free. */
export async function enrich(
  folder: string,
  url: string,
  args: readonly string[],
  kill?: (end: (signal?: NodeJS.Signals) => void) => void,
  stateFolder = join(folder, 'state'),
): Promise<Ended> {
  const environment = {
    ...surroundings,
    TMPDIR: folder,
    XDG_STATE_HOME: stateFolder,
    ENRICH_BASE_URL: url,
    ENRICH_API_KEY: apiKey,
  }
  const isHosted = kill === undefined && process.env[childrenVariable] !== undefined
  const hosted = isHosted ? await host.run({ folder, environment, args, stdin: '' }) : null
  if (hosted !== null) return { ...hosted, stdout: hosted.stdoutBytes.toString() }
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  kill?.((signal = 'SIGKILL') => child.kill(signal))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

const config = {
  limits: { submitPerMinute: 100_000, pollPerMinute: 100_000, submitConcurrency: 4, inFlightRunsMax: 12 },
  polling: { firstAfterSeconds: 0, intervalSeconds: 0.02 },
}

export function writeInput(folder: string, names: readonly string[]): void {
  mkdirSync(join(folder, '.enrich'), { recursive: true })
  writeFileSync(join(folder, 'pipeline.config.json'), JSON.stringify(config))
  writeFileSync(
    join(folder, 'in.csv'),
    `name,id\n${names.map((name, index) => `${name},${index}`).join('\n')}\n`,
  )
}

export const checkpointOf = (folder: string): string => join(folder, '.enrich', 'checkpoint.sqlite')

/** One job, killed at moments of chance and gone on with; its states, the oldest first, and the last one finished. */
export async function makeStates(
  folder: string,
  service: MeteredService,
  names: readonly string[],
  killCount: number,
  chance: Chance,
): Promise<State[]> {
  const states: State[] = []
  const work = join(folder, 'work')
  writeInput(work, names)
  service.ledger = []
  for (let index = 0; index <= killCount; index++) {
    const killAt = index === killCount ? Infinity : chance.whole(2, Math.ceil((names.length * 2) / killCount))
    await enrich(work, service.url, ['in.csv', '-o', 'out.csv', '--quiet'], (end) => {
      service.onRequest = (count) => {
        if (count === killAt) end()
      }
    })
    const kept = join(folder, `state-${index}`)
    copyFiles(join(work, '.enrich'), kept)
    states.push({ folder: kept, ledger: [...service.ledger] })
  }
  service.onRequest = () => undefined
  return states
}

/** Into the same files where there are such. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (statSync(join(from, name)).isFile()) copyFileSync(join(from, name), join(to, name))
  }
}

/** Copies a state to another folder as if it had always been there: its head says so. */
export function transplant(state: State, folder: string): void {
  copyFiles(state.folder, join(folder, '.enrich'))
  const path = checkpointOf(folder)
  const found = readHead(path)
  if (found.kind !== 'found' || !existsSync(path)) return
  const closedNs = new HeadFile(path, { ...found.head, place: readPlace(path) }).close()
  if (existsSync(`${path}-wal`)) return
  const database = openToWrite(path)
  try {
    if (typeof readFacts(database, path, found)?.closedHeadNs === 'string')
      database.prepare('UPDATE checkpoint SET closed_head_ns = ?').run(closedNs)
  } finally {
    database.close()
  }
}
