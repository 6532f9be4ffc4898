import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rateLimits } from '../src/contract/limits.js'
import { Chance } from '../test/simulation/chance.js'
import { makeCompanies } from './companies.js'
import { measureScheduling } from './scheduling.js'
import { csvLine, diskFolder, ratio, type Say } from './support.js'

/** What both processes must agree on; times of runs in hurried milliseconds. */
export interface LoopbackWorld {
  factor: number
  startedAtMs: number
  runMsMin: number
  runMsMax: number
}
export interface PipelineWorld extends LoopbackWorld {
  folder: string
  baseUrl: string
}
export interface ServerFigures {
  requests: number
  limited: number
}
export interface PipelineFigures {
  answeredCount: number
  pollCount: number
  /** In hurried time: from the plan to the last answer. */
  askingMs: number
  /** Of the whole run, from reading the input to the written output. */
  userMs: number
  systemMs: number
}

/**
 * The whole pipeline against a service over real HTTP, with a real checkpoint on disk; both processes live
 * `factor` times as fast, so that a minute of the limits is a few seconds. What a millisecond of this machine
 * costs counts `factor` times.
 */
export async function reportLoopback(say: Say, rowCount = 2_000, factor = 16): Promise<void> {
  const world = { factor, startedAtMs: Date.now(), runMsMin: 60_000, runMsMax: 300_000 }
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-loopback-'))
  const children: ChildProcess[] = []
  try {
    const companies = makeCompanies(rowCount, new Chance(1))
    const lines = companies.map(({ name, city, region, country }) => csvLine([name, city, region, country]))
    writeFileSync(join(folder, 'in.csv'), `company_name,city,region,country\n${lines.join('\n')}\n`)
    const server = start('./loopback-server.ts', world, children)
    const baseUrl = await messageOf<string>(server)
    const pipeline = start('./loopback-pipeline.ts', { ...world, folder, baseUrl }, children)
    const ours = await messageOf<PipelineFigures>(pipeline)
    server.send('figures')
    const theirs = await messageOf<ServerFigures>(server)
    if (ours.answeredCount !== rowCount) throw new Error(`${ours.answeredCount} of ${rowCount} were answered`)
    tell(say, world, rowCount, ours, theirs)
    const { achievedMinutes } = await measureScheduling(rowCount)
    say(
      `  the same number of rows in virtual time ${achievedMinutes.toFixed(2)} min: ${ratio((achievedMinutes * 60_000) / ours.askingMs)}`,
    )
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function tell(
  say: Say,
  world: LoopbackWorld,
  rowCount: number,
  ours: PipelineFigures,
  theirs: ServerFigures,
): void {
  const boundMinutes = rowCount / rateLimits.pollsPerMinute
  const reachableMinutes = boundMinutes + world.runMsMin / 60_000
  const achievedMinutes = ours.askingMs / 60_000
  say(`  ${rowCount} rows, time ${world.factor} times as fast`)
  say(
    `  ${achievedMinutes.toFixed(2)} min; bound of one poll a result ${boundMinutes} min: ${ratio(boundMinutes / achievedMinutes)}; ` +
      `with the shortest run before the first ${reachableMinutes} min: ${ratio(reachableMinutes / achievedMinutes)}`,
  )
  say(
    `  ${(ours.pollCount / ours.answeredCount).toFixed(3)} polls a result, ` +
      `${((theirs.limited / theirs.requests) * 100).toFixed(2)} % 429s, ${((ours.userMs + ours.systemMs) / rowCount).toFixed(2)} ms of CPU a row ` +
      `(${(ours.systemMs / rowCount).toFixed(2)} of them in the system)`,
  )
}

function start(module: string, world: PipelineWorld | LoopbackWorld, children: ChildProcess[]): ChildProcess {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), [JSON.stringify(world)])
  children.push(child)
  return child
}

/** The next message of a child; throws if it ends before. */
async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = new AbortController()
  try {
    return await Promise.race([
      once(child, 'message', { signal: ended.signal }).then(([message]) => message as Message),
      once(child, 'exit', { signal: ended.signal }).then(([code]) => {
        throw new Error(`a process of the bench ended early, with code ${String(code)}`)
      }),
    ])
  } finally {
    ended.abort()
  }
}
