import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { strangeMatch, startStrangeService } from '../support/strange-service.js'
import { startPostgres } from '../support/postgres-server.js'

export interface SameResult {
  /** Lookups that were billed other than once. */
  readonly notOnce: string[]
  /** What the service billed for, in all. */
  readonly billed: number
  /** Jobs that did not end well, with what they said. */
  readonly broken: string[]
  /** Jobs in whose output a row is missing, out of its place or without its own answer. */
  readonly wrong: string[]
  /** By how many of the jobs anything was submitted. */
  readonly submitters: number
}

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const config = {
  limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
  polling: { firstAfterSeconds: 0, intervalSeconds: 0.05, deadlineMinutes: 5 },
}

/** Jobs with the same lookups, each in an order of its own, started at once on one checkpoint in PostgreSQL. */
export async function runSame(programs: string, jobs: number, lookups: number): Promise<SameResult> {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-same-'))
  const server = await startPostgres(programs)
  const names = Array.from({ length: lookups }, (_, index) => `Company ${index}`)
  const answers = Object.fromEntries(names.map((name) => [name, strangeMatch(name)]))
  const service = await startStrangeService({ answers, runTakes: { ms: 200 } })
  writeFileSync(join(folder, 'pipeline.config.json'), JSON.stringify(config))
  try {
    const outputs = Array.from({ length: jobs }, (_, job) => {
      const from = Math.floor((job * lookups) / jobs)
      return { own: [...names.slice(from), ...names.slice(0, from)], job: `job-${job}` }
    })
    const ended = await Promise.all(
      outputs.map(async ({ own, job }) => {
        writeFileSync(join(folder, `${job}.csv`), `name\n${own.join('\n')}\n`)
        const child = spawn(
          process.execPath,
          [main, `${job}.csv`, '-o', `${job}.out.csv`, '--quiet', '--checkpoint', server.url()],
          {
            cwd: folder,
            env: {
              PATH: process.env['PATH'],
              TMPDIR: folder,
              ENRICH_BASE_URL: service.baseUrl,
              ENRICH_API_KEY: service.apiKey,
            },
            stdio: ['ignore', 'ignore', 'pipe'],
          },
        )
        const killWithParent = () => child.kill('SIGKILL')
        process.once('exit', killWithParent)
        let stderr = ''
        child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
        const [code] = (await once(child, 'close')) as [number | null]
        process.off('exit', killWithParent)
        return code === 0 ? null : `${job} ended with ${String(code)}: ${stderr.slice(-1_000)}`
      }),
    )
    const counts = new Map(names.map((name) => [name, 0]))
    for (const { query } of service.runs) counts.set(query.name, (counts.get(query.name) ?? 0) + 1)
    return {
      notOnce: [...counts].filter(([, count]) => count !== 1).map(([name, count]) => `${name}: ${count}`),
      billed: service.runs.length,
      broken: ended.filter((one) => one !== null),
      wrong: outputs
        .filter(({ own, job }) => !isWhole(join(folder, `${job}.out.csv`), own))
        .map(({ job }) => job),
      submitters: Number(server.sql('SELECT count(DISTINCT worker_id) FROM enrich.submissions')),
    }
  } finally {
    await service.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function isWhole(path: string, names: readonly string[]): boolean {
  const rows = parse<Record<string, string>>(readFileSync(path), { columns: true })
  return (
    rows.length === names.length &&
    rows.every((row, index) => row['name'] === names[index] && row['enrich_legal_name'] === names[index])
  )
}
