import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasPgbouncer, startPgbouncer, type Pgbouncer } from '../test/support/pgbouncer.js'
import { findPostgres, startPostgres, type PostgresServer } from '../test/support/postgres-server.js'
import type { SharedFigures, SharedReady, SharedWork } from './shared-worker.js'
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
const wholeSize: SharedSize = { cycleCount: 8_000, turns: 3, workerCounts: [1, 2, 4, 8] }

interface Measured {
  readonly perSecond: number
  /** Of all processes of ours together, in milliseconds of CPU. */
  readonly cpuMsEach: number
  /** Of PostgreSQL's; pgbouncer's is in neither. */
  readonly serverCpuMsEach: number
  readonly bytesEach: number
  readonly wantedPerSecond: number
}

interface Place {
  readonly checkpoint: string
  readonly serverCpuMs: () => number
  /** What it takes, in words. */
  readonly room: () => string | null
  readonly remove: () => void
}

interface Contender {
  readonly title: string
  readonly workerCount: number
  readonly place: () => Place
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
    const all = contenders(server, bouncer, folder, size)
    let room: string | null = null
    for (let turn = 0; turn < size.turns; turn++)
      for (const { place, workerCount, measured } of all) {
        const at = place()
        measured.push(await measure(at, workerCount, size.cycleCount))
        room ??= at.room()
        at.remove()
      }
    tell(say, all, size)
    if (room !== null) say(room)
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
  { workerCounts, cycleCount }: SharedSize,
): Contender[] {
  let count = 0
  const ofFile = { serverCpuMs: () => 0, room: () => null, remove: () => undefined }
  const inFile = () => ({ checkpoint: join(folder, `${++count}.sqlite`), ...ofFile })
  const inDatabase = (through: Pick<PostgresServer, 'url'>) => (): Place => {
    const database = `bench_${++count}`
    server.sql(`CREATE DATABASE ${database}`)
    // What was written before is written once, and not in the time of this one.
    server.sql('CHECKPOINT')
    const before = server.sql('SELECT pg_current_wal_insert_lsn()')
    return {
      checkpoint: through.url({ database }),
      serverCpuMs: () => cpuMsOf(server),
      room: () => roomOf(server, database, before, cycleCount),
      remove: () => void server.sql(`DROP DATABASE ${database} WITH (FORCE)`),
    }
  }
  const shared = (title: string, through: Pick<PostgresServer, 'url'>) =>
    workerCounts.map((workerCount) => ({
      title,
      workerCount,
      place: inDatabase(through),
      measured: [],
    }))
  return [
    { title: 'SQLite', workerCount: 1, place: inFile, measured: [] },
    ...shared('PostgreSQL', server),
    ...(bouncer === null ? [] : shared('PostgreSQL through pgbouncer', bouncer)),
  ]
}

/** From the first wish to the last answer, with the indexes; what a process wants goes when it ends. */
function roomOf(server: PostgresServer, database: string, before: string, cycleCount: number): string {
  const wal = Number(server.sql(`SELECT pg_current_wal_insert_lsn() - '${before}'`))
  server.sql('VACUUM', database)
  const tables = ['lookups', 'submissions', 'answers'].map((table) => {
    const bytes = Number(server.sql(`SELECT pg_total_relation_size('enrich.${table}')`, database))
    return `${table} ${grouped(bytes / cycleCount)}`
  })
  return `  bytes a lookup in PostgreSQL: ${tables.join(', ')}; ${grouped(wal / cycleCount)} of its log`
}

/** Of the server and its processes, those that have ended too; 0 where the system does not tell. */
function cpuMsOf({ folder }: PostgresServer): number {
  const [id = ''] = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
  let ticks = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name)
    if (name === id) ticks += sumOf(fields.slice(11, 15))
    else if (fields[1] === id) ticks += sumOf(fields.slice(11, 13))
  }
  return ticks * 10
}

/** What follows the name in `/proc/ID/stat`; nothing where it has ended. */
function statOf(id: string): string[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

const sumOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Number(text), 0)

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
    const cpu = median(measured.map(({ cpuMsEach }) => cpuMsEach)).toFixed(2)
    const serverCpu = median(measured.map(({ serverCpuMsEach }) => serverCpuMsEach)).toFixed(2)
    say(
      `  ${title}, ${workerCount} ${workerCount === 1 ? 'process' : 'processes'}: ${grouped(median(rates))} cycles a second ` +
        `(${rates.map(grouped).join(', ')}); ${ratio(median(rates) / alone)} of SQLite; ${cpu} ms of CPU each, and ${serverCpu} in the server; ` +
        `${grouped(median(measured.map(({ wantedPerSecond }) => wantedPerSecond)))} wanted a second`,
    )
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

async function measure(at: Place, workerCount: number, cycleCount: number): Promise<Measured> {
  const { checkpoint, serverCpuMs } = at
  const works = Array.from({ length: workerCount }, (_, worker): SharedWork => {
    const own = Math.floor(cycleCount / workerCount)
    return { checkpoint, workerCount, worker, cycleCount: own, laneCount }
  })
  const children = works.map((work) =>
    fork(fileURLToPath(new URL('./shared-worker.ts', import.meta.url)), [JSON.stringify(work)]),
  )
  try {
    const ready = await Promise.all(children.map((child) => messageOf<SharedReady>(child)))
    const figures = children.map((child) => messageOf<SharedFigures>(child))
    const beforeMs = serverCpuMs()
    for (const child of children) child.send('go')
    const all = await Promise.all(figures)
    const startedAtMs = Math.min(...all.map((one) => one.startedAtMs))
    const endedAtMs = Math.max(...all.map((one) => one.endedAtMs))
    return {
      perSecond: cycleCount / ((endedAtMs - startedAtMs) / 1000),
      serverCpuMsEach: (serverCpuMs() - beforeMs) / cycleCount,
      cpuMsEach: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / cycleCount,
      bytesEach: ready[0]?.bytesEach ?? 0,
      wantedPerSecond: cycleCount / (Math.max(...ready.map(({ wantMs }) => wantMs)) / 1000),
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
