import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openSqlite } from '../src/platform/sqlite.js'
import { shortLease } from '../test/chaos/worker.js'
import { tapService, type Tap } from '../test/support/stage-job.js'
import { openCheckpoints, type KillCheckpoint, type KnownSubmission } from './kill-checkpoints.js'
import { openPlaces, type KillAddresses } from './kill-places.js'
import { openWork } from './kill-work.js'

/**
 * `npm run kills -- --kills 1000`: the real command line against the real service over loopback, both killed
 * with SIGKILL at random moments and started again, until so many kills are done. Then the service's ledger
 * is compared with the checkpoint. Needs `npm run build`.
 *
 * - `--through postgres` reads and writes tables, `--through s3` objects, `--through postgres+s3` both, `--through stdio`
 *   standard input and output. Then each finished job is also killed while it copies its input and publishes again, and
 *   every output read in between is whole.
 * - `--checkpoint postgres` has the checkpoint on a server; `--checkpoint moving` moves it to a server and back, with
 *   moves that are killed too.
 * - `--work first` has an own registry that answers first, `--work stages` requests records, owners and domains.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '300' },
    through: { type: 'string', default: 'files' },
    checkpoint: { type: 'string', default: 'file' },
    work: { type: 'string', default: 'names' },
  },
})
const { through } = values
const killsMax = Number(values.kills)
const rowCount = Number(values.rows)
/** Every so many kills hit the service. */
const serviceShare = 10
const submitConcurrency = 8
/** Kills of each finished job while it publishes again. */
const killsPerJob = 10
/** One of so many kills is followed by a move of the checkpoint. */
const moveShare = 3
/** Verdicts of submissions that the service may have billed. */
const maybeBilled = ['accepted', 'uncertain']
const apiKey = 'key-of-the-kill-bench'
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

const figures = {
  jobs: 0,
  kills: 0,
  serviceKills: 0,
  moves: 0,
  moveKills: 0,
  lookups: 0,
  billed: 0,
  stageRequests: 0,
  lost: 0,
  doubled: 0,
  needless: 0,
  uncertain: 0,
  rowsWrong: 0,
  leftovers: 0,
}
const folder = mkdtempSync(join(tmpdir(), 'enrich-kills-'))
const startedAtMs = performance.now()
const work = openWork(values.work, main, folder, rowCount)
const checkpoints = await openCheckpoints(values.checkpoint, main)
const killPlace = await openPlaces(through)
/** A kill comes within this time. It grows with each kill and shrinks with each end of a run: so kills hit all parts. */
let killWithinMs = 4_000
try {
  while (figures.kills < killsMax) await oneJob(figures.jobs++)
} finally {
  await killPlace.close()
  await checkpoints.close()
  rmSync(folder, { recursive: true, force: true })
}
report()
const { lost, doubled, needless, rowsWrong, leftovers } = figures
process.exitCode = lost + doubled + needless + rowsWrong + leftovers === 0 ? 0 : 1

interface Job {
  readonly number: number
  readonly folder: string
  readonly names: readonly string[]
  readonly addresses: KillAddresses
  readonly checkpoint: KillCheckpoint
  readonly serviceUrl: string
}

/** One input, killed and run again until it is done; then both sides are compared. */
async function oneJob(number: number): Promise<void> {
  const place = join(folder, `job-${number}`)
  const path = (name: string) => join(place, name)
  const names = work.names(number)
  mkdirSync(path('tmp'), { recursive: true })
  const addresses = await killPlace.prepare(number, place, names)
  const perMinute = 6_000
  writeFileSync(
    path('config.json'),
    JSON.stringify({
      limits: { submitPerMinute: perMinute, pollPerMinute: 4 * perMinute, submitConcurrency },
      polling: { firstAfterSeconds: 0.2, intervalSeconds: 0.2 },
      stages: {
        entity: { perMinute },
        hierarchy: { submitPerMinute: perMinute, pollPerMinute: perMinute },
        domain: { perMinute },
      },
    }),
  )
  let service = await startService(path('service'), 0)
  const tap = work.hasStages ? await tapService(service.url) : null
  const checkpoint = checkpoints.open(number, place)
  const job: Job = {
    number,
    folder: place,
    names,
    addresses,
    checkpoint,
    serviceUrl: tap?.url ?? service.url,
  }
  for (let isDone = false, isKilled = false; !isDone;) {
    if (isKilled && checkpoints.isMoving && Math.random() < 1 / moveShare) {
      const killCount = await checkpoint.move()
      if (killCount !== null) figures.moves++
      figures.moveKills += killCount ?? 0
    }
    const run = startRun(job)
    const exited = once(run, 'exit')
    const mayKill = figures.kills < killsMax
    const outcome = await Promise.race([
      exited.then(() => 'exited' as const),
      // Late ones more often: a run reads its input and its checkpoint before it submits.
      pause(mayKill ? Math.sqrt(Math.random()) * killWithinMs : 600_000),
    ])
    if (outcome === 'exited') {
      // 0 and 3 are a written output; 5 is a service that was away for too long: the same command resumes.
      isDone = run.exitCode === 0 || run.exitCode === 3
      if (!isDone && run.exitCode !== 5)
        throw new Error(`the run ended with exit code ${String(run.exitCode)}`)
      killWithinMs *= 0.5
      continue
    }
    isKilled = true
    killWithinMs *= 1.1
    figures.kills++
    if (figures.kills % serviceShare === 0) {
      figures.serviceKills++
      service.process.kill('SIGKILL')
      await once(service.process, 'exit')
      service = await startService(path('service'), service.port)
    }
    run.kill('SIGKILL')
    await exited
    figures.rowsWrong += killPlace.countTornRows?.(place, names) ?? 0
  }
  if (through !== 'files') await killWhilePublishing(job)
  // The service holds its data for itself alone; a last kill, and its ledger is what is on disk.
  service.process.kill('SIGKILL')
  await once(service.process, 'exit')
  await compare(job, tap)
  await tap?.close()
  rmSync(place, { recursive: true, force: true })
  progress()
}

/** Kills runs that submit nothing: they copy the input and publish. Each output in between has all rows. */
async function killWhilePublishing(job: Job): Promise<void> {
  for (let kill = 0; kill < killsPerJob; kill++) {
    const run = startRun(job)
    const exited = once(run, 'exit')
    const outcome = await Promise.race([
      exited.then(() => 'exited' as const),
      pause(Math.random() * killWithinMs),
    ])
    killWithinMs *= outcome === 'exited' ? 0.7 : 1.2
    if (outcome !== 'exited') {
      figures.kills++
      run.kill('SIGKILL')
      await exited
      if (killPlace.countTornRows !== undefined) {
        figures.rowsWrong += killPlace.countTornRows(job.folder, job.names)
        continue
      }
    }
    const output = await killPlace.readOutput(job.number, job.folder)
    if (output?.length !== job.names.length) figures.rowsWrong++
  }
  const last = startRun(job)
  await once(last, 'exit')
  if (last.exitCode !== 0 && last.exitCode !== 3)
    throw new Error(`the run ended with exit code ${String(last.exitCode)}`)
}

/** With a short lease, so that a run does not wait long for a killed one. */
function startRun({ folder: place, addresses, checkpoint, serviceUrl }: Job): ChildProcess {
  const { input, output, flags = [] } = addresses
  const streams = [
    input === '-' ? openSync(join(place, 'in.csv'), 'r') : null,
    openSync(join(place, 'stdout'), 'w'),
  ] as const
  const child = spawn(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(shortLease)}`],
      ...[main, input, '-o', output, ...flags, ...work.runFlags, '--quiet'],
      ...['--config', join(place, 'config.json'), '--checkpoint', checkpoint.address],
    ],
    {
      cwd: place,
      env: {
        ...process.env,
        ...killPlace.environment,
        TMPDIR: join(place, 'tmp'),
        ENRICH_BASE_URL: serviceUrl,
        ENRICH_API_KEY: apiKey,
      },
      stdio: [streams[0] ?? 'ignore', streams[1], 'ignore'],
    },
  )
  for (const stream of streams) if (stream !== null) closeSync(stream)
  return child
}

async function startService(
  data: string,
  port: number,
): Promise<{ process: ChildProcess; url: string; port: number }> {
  const child = spawn(
    process.execPath,
    [
      main,
      'serve',
      '--listen',
      `127.0.0.1:${port}`,
      '--data',
      data,
      '--limits',
      'none',
      '--research-seconds',
      '0:1',
      ...work.serviceFlags,
    ],
    { env: { ...process.env, ENRICH_SERVE_API_KEY: apiKey }, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let told = ''
  for await (const chunk of child.stderr) {
    told += String(chunk)
    const url = /http:\/\/127\.0\.0\.1:(\d+)/.exec(told)
    if (url) {
      child.stderr.resume()
      return { process: child, url: url[0], port: Number(url[1]) }
    }
  }
  throw new Error(`the service did not start: ${told}`)
}

/** The service's ledger against the checkpoint and the output. */
async function compare({ number, folder: place, names, checkpoint }: Job, tap: Tap | null): Promise<void> {
  const billed = rows<{ customId: string; name: string }>(
    join(place, 'service', 'service.sqlite'),
    'SELECT custom_id AS customId, name FROM runs',
  )
  const submissions = checkpoint.readSubmissions()
  const known = new Map(submissions.map((row) => [row.customId, row]))
  const perLookup = new Map<number, number>()
  for (const { customId } of billed) {
    const row = known.get(customId)
    if (row === undefined || !maybeBilled.includes(row.verdict)) figures.lost++
    else perLookup.set(row.lookupId, (perLookup.get(row.lookupId) ?? 0) + 1)
  }
  if (tap !== null) compareStages(place, tap, submissions)
  const own = new Set(names.filter((_, index) => work.isOwn(index)))
  figures.needless += billed.filter(({ name }) => own.has(name)).length
  const output = (await killPlace.readOutput(number, place)) ?? []
  const left = [
    ...readdirSync(place).filter((name) => /\.spool$|\.tmp($|\.)|^output-|^\.output-|\.arriving/.test(name)),
    ...readdirSync(join(place, 'tmp')),
    ...(await killPlace.listLeftovers(number)),
  ]
  if (left.length > 0) process.stderr.write(`left behind: ${left.join(', ')}\n`)
  figures.leftovers += left.length
  const isWrong = (name: string, index: number) => {
    const row = output[index]
    return row?.name !== name || !work.isRight(index, row.status)
  }
  figures.lookups += names.length
  figures.billed += billed.length
  figures.doubled += [...perLookup.values()].filter((count) => count > 1).length
  figures.uncertain += submissions.filter(
    ({ verdict, isHosted }) => isHosted && verdict === 'uncertain',
  ).length
  figures.rowsWrong += names.filter(isWrong).length + Math.abs(output.length - names.length)
}

/**
 * What the service began to compile, against the checkpoint and the requests. A request that did not reach a killed service
 * may be sent again, but none after the service had begun.
 */
function compareStages(place: string, { begunAtMs }: Tap, submissions: readonly KnownSubmission[]): void {
  const known = new Set(
    submissions
      .filter(({ verdict }) => maybeBilled.includes(verdict))
      .map(({ kind, name }) => `${kind} ${name}`),
  )
  const builds = rows<{ kind: 'hierarchy' | 'domain'; subject: string; startedAtMs: number }>(
    join(place, 'service', 'service.sqlite'),
    "SELECT kind, subject, started_at_ms AS startedAtMs FROM builds WHERE kind IN ('hierarchy', 'domain')",
  )
  for (const { kind, subject, startedAtMs } of builds) {
    figures.stageRequests++
    if (!known.has(`${kind} ${subject}`)) figures.lost++
    const request =
      kind === 'domain' ? `/v3/domain-intelligence ${subject}` : `/v1/entity/${subject}/hierarchy`
    const times = begunAtMs.get(request) ?? []
    if (times.length === 0) throw new Error(`nothing requested ${kind} ${subject}`)
    if (times.some((atMs) => atMs > startedAtMs)) figures.doubled++
  }
}

function rows<Row>(path: string, sql: string): Row[] {
  const database = openSqlite(path, { synchronous: 'NORMAL' })
  try {
    return database.prepare<[], Row>(sql).all()
  } finally {
    database.close()
  }
}

/** The sums so far: a long series may be cut. */
function progress(): void {
  process.stderr.write(`${JSON.stringify(figures)}\n`)
}

function report(): void {
  const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1)
  process.stdout.write(
    `${figures.kills} kills (${figures.serviceKills} of the service too) over ${figures.jobs} jobs in ${minutes} minutes; ` +
      `${figures.moves} moves of checkpoints, killed ${figures.moveKills} times\n` +
      `${figures.lookups} lookups, ${figures.billed} billed, ${figures.stageRequests} requests for owners and domains: ` +
      `lost ${figures.lost}, doubled ${figures.doubled}, needless ${figures.needless}, ` +
      `rows wrong ${figures.rowsWrong}, leftovers ${figures.leftovers}\n` +
      `uncertain ${figures.uncertain}: ${(figures.uncertain / figures.kills).toFixed(2)} a kill, at most ${submitConcurrency} in flight\n`,
  )
}

function pause(delayMs: number): Promise<'time'> {
  return new Promise((resolve) => setTimeout(resolve, delayMs, 'time').unref())
}
