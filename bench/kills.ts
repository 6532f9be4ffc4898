import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openSqlite } from '../src/platform/sqlite.js'
import { openPlaces } from './kill-places.js'

/**
 * `npm run kills -- --kills 1000`: the real command line against the real service over loopback, both killed
 * with SIGKILL at random moments and started again, until so many kills are done. Then the service's ledger
 * is held against the checkpoint. `--through postgres` reads and writes tables, `--through s3` objects, `--through postgres+s3` both; then each
 * finished job is also killed while it copies its input and publishes again, and every output read in between is whole.
 * Needs `npm run build`.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    rows: { type: 'string', default: '300' },
    through: { type: 'string', default: 'files' },
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
const apiKey = 'key-of-the-kill-bench'
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

interface Figures {
  jobs: number
  kills: number
  serviceKills: number
  lookups: number
  billed: number
  lost: number
  doubled: number
  uncertain: number
  rowsWrong: number
  leftovers: number
}

const figures: Figures = {
  jobs: 0,
  kills: 0,
  serviceKills: 0,
  lookups: 0,
  billed: 0,
  lost: 0,
  doubled: 0,
  uncertain: 0,
  rowsWrong: 0,
  leftovers: 0,
}
const folder = mkdtempSync(join(tmpdir(), 'enrich-kills-'))
const startedAtMs = performance.now()
const killPlace = await openPlaces(through)
try {
  while (figures.kills < killsMax) await oneJob(figures.jobs++)
} finally {
  await killPlace.close()
  rmSync(folder, { recursive: true, force: true })
}
report()
process.exitCode = figures.lost + figures.doubled + figures.rowsWrong + figures.leftovers === 0 ? 0 : 1

/** One input, killed and run again until it is done; then both sides are compared. */
async function oneJob(job: number): Promise<void> {
  const place = join(folder, `job-${job}`)
  const path = (name: string) => join(place, name)
  const names = Array.from({ length: rowCount }, (_, index) => `Job ${job} Company ${index}`)
  mkdirSync(place)
  const addresses = await killPlace.prepare(job, place, names)
  writeFileSync(
    path('config.json'),
    JSON.stringify({
      limits: { submitPerMinute: 12_000, pollPerMinute: 24_000, submitConcurrency },
      polling: { firstAfterSeconds: 0.2, intervalSeconds: 0.2 },
    }),
  )
  let service = await startService(path('service'), 0)
  for (let isDone = false; !isDone;) {
    const run = startRun(place, service.url, addresses)
    const exited = once(run, 'exit')
    const mayKill = figures.kills < killsMax
    const delayMs = mayKill ? 100 + Math.random() * 1_500 : 600_000
    const outcome = await Promise.race([exited.then(() => 'exited' as const), pause(delayMs)])
    if (outcome === 'exited') {
      // 0 and 3 are a written output; 5 is a service that was away for too long: the same command resumes.
      isDone = run.exitCode === 0 || run.exitCode === 3
      if (!isDone && run.exitCode !== 5)
        throw new Error(`the run ended with exit code ${String(run.exitCode)}`)
      continue
    }
    figures.kills++
    if (figures.kills % serviceShare === 0) {
      figures.serviceKills++
      service.process.kill('SIGKILL')
      await once(service.process, 'exit')
      service = await startService(path('service'), service.port)
      // The run goes on, or is killed by the next round.
      run.kill('SIGKILL')
    } else run.kill('SIGKILL')
    await exited
  }
  if (through !== 'files')
    await killWhilePublishing(job, place, names, () => startRun(place, service.url, addresses))
  // The service holds its data for itself alone; a last kill, and its ledger is what is on disk.
  service.process.kill('SIGKILL')
  await once(service.process, 'exit')
  await compare(job, place, names)
  progress()
}

/** Kills runs that submit nothing: they copy the input and publish. Each output in between has all rows. */
async function killWhilePublishing(
  job: number,
  place: string,
  names: readonly string[],
  start: () => ChildProcess,
): Promise<void> {
  for (let kill = 0; kill < killsPerJob; kill++) {
    const run = start()
    const exited = once(run, 'exit')
    const outcome = await Promise.race([
      exited.then(() => 'exited' as const),
      pause(200 + Math.random() * 1_800),
    ])
    if (outcome !== 'exited') {
      figures.kills++
      run.kill('SIGKILL')
      await exited
    }
    const output = await killPlace.readOutput(job, place)
    if (output?.length !== names.length) figures.rowsWrong++
  }
  const last = start()
  await once(last, 'exit')
  if (last.exitCode !== 0 && last.exitCode !== 3)
    throw new Error(`the run ended with exit code ${String(last.exitCode)}`)
}

function startRun(
  place: string,
  url: string,
  { input, output }: { input: string; output: string },
): ChildProcess {
  const files = [input, '-o', output, '--config', join(place, 'config.json')]
  return spawn(
    process.execPath,
    [main, ...files, '--checkpoint', join(place, 'checkpoint.sqlite'), '--quiet'],
    {
      env: { ...process.env, ...killPlace.environment, ENRICH_BASE_URL: url, ENRICH_API_KEY: apiKey },
      stdio: 'ignore',
    },
  )
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
async function compare(job: number, place: string, names: readonly string[]): Promise<void> {
  const billed = rows<{ customId: string }>(
    join(place, 'service', 'service.sqlite'),
    'SELECT custom_id AS customId FROM runs',
  )
  const known = new Map(
    rows<{ customId: string; lookupId: number; verdict: string }>(
      join(place, 'checkpoint.sqlite'),
      'SELECT custom_id AS customId, lookup_id AS lookupId, verdict FROM submissions',
    ).map((row) => [row.customId, row]),
  )
  const perLookup = new Map<number, number>()
  for (const { customId } of billed) {
    const row = known.get(customId)
    if (row === undefined || !['accepted', 'uncertain'].includes(row.verdict)) figures.lost++
    else perLookup.set(row.lookupId, (perLookup.get(row.lookupId) ?? 0) + 1)
  }
  const output = (await killPlace.readOutput(job, place)) ?? []
  const local = readdirSync(place).filter((name) => /\.spool$|^output-|^\.output-/.test(name))
  figures.leftovers += local.length + (await killPlace.listLeftovers(job)).length
  const isWrong = (name: string, index: number) => {
    const row = output[index]
    return row?.name !== name || !['no_match', 'uncertain'].includes(row.status)
  }
  figures.lookups += names.length
  figures.billed += billed.length
  figures.doubled += [...perLookup.values()].filter((count) => count > 1).length
  figures.uncertain += output.filter(({ status }) => status === 'uncertain').length
  figures.rowsWrong += names.filter(isWrong).length + Math.abs(output.length - names.length)
}

function rows<Row>(path: string, sql: string): Row[] {
  const database = openSqlite(path, { synchronous: 'NORMAL' })
  try {
    return database.prepare<[], Row>(sql).all()
  } finally {
    database.close()
  }
}

function progress(): void {
  process.stderr.write(`${figures.kills}/${killsMax} kills, ${figures.jobs} jobs, ${figures.billed} billed\n`)
}

function report(): void {
  const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1)
  process.stdout.write(
    `${figures.kills} kills (${figures.serviceKills} of the service too) over ${figures.jobs} jobs in ${minutes} minutes\n` +
      `${figures.lookups} lookups, ${figures.billed} billed: lost ${figures.lost}, doubled ${figures.doubled}, rows wrong ${figures.rowsWrong}, leftovers ${figures.leftovers}\n` +
      `uncertain ${figures.uncertain}: ${(figures.uncertain / figures.kills).toFixed(2)} a kill, at most ${submitConcurrency} in flight\n`,
  )
}

function pause(delayMs: number): Promise<'time'> {
  return new Promise((resolve) => setTimeout(resolve, delayMs, 'time').unref())
}
