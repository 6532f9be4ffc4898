import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../test/support/pgbouncer.js'
import { findPostgres, startPostgres, type PostgresServer } from '../test/support/postgres-server.js'
import type { SharedFigures, SharedWork } from './shared-worker.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'

/** In flight in each process, as the scheduler has them. */
const laneCount = 16

export interface SharedSize {
  /** Of all processes of a turn together. */
  readonly cycleCount: number
  /** All take turns, and the median of each counts. */
  readonly turns: number
  readonly workerCounts: readonly number[]
}
const wholeSize: SharedSize = { cycleCount: 16_000, turns: 3, workerCounts: [1, 2, 4, 8] }

interface Measured {
  readonly perSecond: number
  /** Of all processes of ours together; PostgreSQL's is not in it. */
  readonly cpuMsEach: number
  readonly bytesEach: number
}

interface Contender {
  readonly title: string
  readonly workerCount: number
  readonly place: () => { checkpoint: string; remove: () => void }
  readonly measured: Measured[]
}

/**
 * Full cycles of lookups, each an intention, its acceptance and its answer, every one durable before the next: by
 * processes that share a checkpoint on PostgreSQL, with and without pgbouncer between, beside one with a file.
 */
export async function reportShared(say: Say, size = wholeSize): Promise<void> {
  const programs = findPostgres()
  if (programs === null) return
  // By the server's own settings: what is committed is on the disk.
  const server = await startPostgres(programs, { settings: { shared_buffers: '128MB' } })
  const bouncer = hasPgbouncer() ? await startPgbouncer(server, { connectionsMax: 16 }) : null
  if (bouncer === null) say('  there is no pgbouncer on this machine')
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-shared-'))
  try {
    const all = contenders(server, bouncer, folder, size.workerCounts)
    for (let turn = 0; turn < size.turns; turn++)
      for (const { place, workerCount, measured } of all) {
        const { checkpoint, remove } = place()
        measured.push(await measure(checkpoint, workerCount, size.cycleCount))
        remove()
      }
    tell(say, all, size)
  } finally {
    await bouncer?.stop()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function contenders(
  server: PostgresServer,
  bouncer: Pgbouncer | null,
  folder: string,
  workerCounts: readonly number[],
): Contender[] {
  let count = 0
  const inFile = () => ({ checkpoint: join(folder, `${++count}.sqlite`), remove: () => undefined })
  const inDatabase = (through: Pick<PostgresServer, 'url'>) => () => {
    const database = `bench_${++count}`
    server.sql(`CREATE DATABASE ${database}`)
    const remove = () => server.sql(`DROP DATABASE ${database} WITH (FORCE)`)
    return { checkpoint: through.url({ database }), remove }
  }
  const shared = (title: string, through: Pick<PostgresServer, 'url'>) =>
    workerCounts.map((workerCount) => ({
      ...{ title, workerCount, place: inDatabase(through), measured: [] },
    }))
  return [
    { title: 'SQLite', workerCount: 1, place: inFile, measured: [] },
    ...shared('PostgreSQL', server),
    ...(bouncer === null ? [] : shared('PostgreSQL through pgbouncer', bouncer)),
  ]
}

function tell(say: Say, all: readonly Contender[], { cycleCount, turns }: SharedSize): void {
  const [sqlite] = all
  const alone = median(sqlite?.measured.map(({ perSecond }) => perSecond) ?? [])
  const bytes = sqlite?.measured[0]?.bytesEach ?? 0
  say(
    `  ${grouped(cycleCount)} cycles, ${laneCount} in flight in each process; an answer is ${grouped(bytes)} bytes (body and ` +
      `line); median of ${turns} turns`,
  )
  for (const { title, workerCount, measured } of all) {
    const rates = measured.map(({ perSecond }) => perSecond)
    const cpu = median(measured.map(({ cpuMsEach }) => cpuMsEach))
    say(
      `  ${title}, ${workerCount} ${workerCount === 1 ? 'process' : 'processes'}: ${grouped(median(rates))} cycles a second ` +
        `(${rates.map(grouped).join(', ')}); ${ratio(median(rates) / alone)} of SQLite; ${cpu.toFixed(2)} ms of CPU each`,
    )
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

async function measure(checkpoint: string, workerCount: number, cycleCount: number): Promise<Measured> {
  const works = Array.from({ length: workerCount }, (_, worker): SharedWork => {
    const own = Math.floor(cycleCount / workerCount)
    return { checkpoint, workerCount, worker, cycleCount: own, laneCount }
  })
  const children = works.map((work) =>
    fork(fileURLToPath(new URL('./shared-worker.ts', import.meta.url)), [JSON.stringify(work)]),
  )
  try {
    const ready = await Promise.all(children.map((child) => messageOf<{ bytesEach: number }>(child)))
    const figures = children.map((child) => messageOf<SharedFigures>(child))
    for (const child of children) child.send('go')
    const all = await Promise.all(figures)
    const startedAtMs = Math.min(...all.map((one) => one.startedAtMs))
    const endedAtMs = Math.max(...all.map((one) => one.endedAtMs))
    return {
      perSecond: cycleCount / ((endedAtMs - startedAtMs) / 1000),
      cpuMsEach: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / cycleCount,
      bytesEach: ready[0]?.bytesEach ?? 0,
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
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
