import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type { PostgresStatements } from '../../src/platform/postgres/postgres.js'

/** What the service billed. */
export interface Billed {
  readonly name: string
  readonly customId: string
  readonly runId: string
  readonly atMs: number
}

/** Broken promises, a line each, by kind. */
export interface Judged {
  /** Lookups that were billed more than once. */
  readonly doubled: string[]
  /** What was billed and is not known. */
  readonly lost: string[]
  /** Lookups that were left undone. */
  readonly undone: string[]
  readonly budget: string[]
  readonly rows: string[]
  readonly figures: { answered: number; uncertain: number; billed: number; jobs: number }
}

interface Lookup {
  readonly name: string
  readonly state: string
}
interface Submission {
  readonly customId: string
  readonly name: string
  readonly verdict: string
  readonly runId: string | null
  readonly jobId: number
  readonly isFirst: boolean
}

export interface Evidence {
  readonly ledger: readonly Billed[]
  readonly outputs: readonly { readonly path: string; readonly names: readonly string[] }[]
  /** What was wanted by any. */
  readonly names: readonly string[]
  readonly lookupsMax: number
}

const isReserved = ({ verdict }: Submission) => ['intended', 'accepted', 'uncertain'].includes(verdict)
const final: readonly (string | undefined)[] = ['answered', 'failed', 'invalid', 'uncertain']

/** Holds what the service billed against what the checkpoint knows, and against what was written. */
export async function judge(postgres: PostgresStatements, evidence: Evidence): Promise<Judged> {
  const lookups = await postgres.query<Lookup>('SELECT name, state FROM enrich.lookups')
  const submissions = await postgres.query<Submission>(
    `SELECT s.custom_id AS "customId", l.name, s.verdict, s.run_id AS "runId", s.job_id AS "jobId",
       s.is_first AS "isFirst"
     FROM enrich.submissions s JOIN enrich.lookups l ON l.lookup_id = s.lookup_id`,
  )
  const states = new Map(lookups.map(({ name, state }) => [name, state]))
  const { ledger, names, outputs, lookupsMax } = evidence
  const isBounded = lookupsMax < names.length
  const count = (state: string) => lookups.filter((lookup) => lookup.state === state).length
  return {
    doubled: doubledOf(ledger),
    lost: lostOf(ledger, submissions, states),
    undone: names
      .map((name) => [name, states.get(name)] as const)
      .filter(([, state]) => !final.includes(state) && !(isBounded && state === 'new'))
      .map(([name, state]) => `${name} is ${state ?? 'unknown'}`),
    budget: await budgetOf(postgres, ledger, submissions, lookupsMax),
    rows: outputs.flatMap(({ path, names: own }) => rowsOf(path, own, states, isBounded)),
    figures: {
      answered: count('answered'),
      uncertain: count('uncertain'),
      billed: ledger.length,
      jobs: new Set(submissions.map(({ jobId }) => jobId)).size,
    },
  }
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

function doubledOf(ledger: readonly Billed[]): string[] {
  const byName = grouped(ledger, ({ name }) => name)
  return [...byName]
    .filter(([, billed]) => billed.length > 1)
    .map(([name, billed]) => `${name}: ${billed.map(({ customId }) => customId.slice(-12)).join(', ')}`)
}

function lostOf(
  ledger: readonly Billed[],
  submissions: readonly Submission[],
  states: ReadonlyMap<string, string>,
): string[] {
  const known = new Map(submissions.map((submission) => [submission.customId, submission]))
  return ledger.flatMap(({ name, customId, runId }) => {
    const submission = known.get(customId)
    const state = states.get(name) ?? 'unknown'
    const said = `${name} as ${runId}: submission ${submission?.verdict ?? 'unknown'}, lookup ${state}`
    if (submission === undefined || !['accepted', 'uncertain'].includes(submission.verdict)) return [said]
    if (!['answered', 'failed', 'uncertain', 'running'].includes(state)) return [said]
    if (submission.verdict === 'accepted' && submission.runId !== runId)
      return [`${said}, as ${submission.runId ?? 'no run'}`]
    return []
  })
}

interface JobRow {
  readonly jobId: number
  readonly ofRows: number
  readonly ofKinds: number
}

async function budgetOf(
  postgres: PostgresStatements,
  ledger: readonly Billed[],
  submissions: readonly Submission[],
  lookupsMax: number,
): Promise<string[]> {
  const jobs = await postgres.query<JobRow>(
    `SELECT j.job_id AS "jobId", j.reserved_of_rows AS "ofRows", coalesce(sum(k.reserved), 0)::bigint AS "ofKinds"
     FROM enrich.jobs j LEFT JOIN enrich.job_kinds k ON k.job_id = j.job_id GROUP BY j.job_id`,
  )
  const byCustomId = new Map(submissions.map((submission) => [submission.customId, submission]))
  const billedOf = grouped(ledger, ({ customId }) => byCustomId.get(customId)?.jobId)
  return jobs.flatMap(({ jobId, ofRows, ofKinds }) => {
    const own = submissions.filter((submission) => submission.jobId === jobId && isReserved(submission))
    const certain = own.filter(({ verdict }) => verdict === 'accepted').length
    const billed = billedOf.get(jobId)?.length ?? 0
    const said = `job ${jobId}: ${ofRows} reserved of rows, ${ofKinds} of kinds, ${own.length} submissions, ${certain} certain, ${billed} billed, at most ${lookupsMax}`
    const agrees = ofRows === own.filter(({ isFirst }) => isFirst).length && ofKinds === own.length
    return agrees && certain <= billed && billed <= own.length && billed <= lookupsMax ? [] : [said]
  })
}

/** Every row once, in order, with the answer of its own name. */
function rowsOf(
  path: string,
  names: readonly string[],
  states: ReadonlyMap<string, string>,
  isBounded: boolean,
): string[] {
  if (!existsSync(path)) return [`${path} was not written`]
  const rows: Record<string, string>[] = parse(readFileSync(path), { columns: true })
  const faults = names.flatMap((name, index) => {
    const row = rows[index]
    const status = row?.['enrich_status'] ?? 'none'
    const state = states.get(name)
    const isRight =
      row?.['name'] === name &&
      (status === 'matched'
        ? row['enrich_legal_name'] === `${name} (registered)` && state === 'answered'
        : // What was uncertain may have been told of after the file was written.
          status === 'uncertain' || status === state || (isBounded && status === 'pending'))
    return isRight
      ? []
      : [`${path} row ${index}: ${name} (${state ?? ''}) is ${row?.['name'] ?? ''}: ${status}`]
  })
  return rows.length === names.length ? faults : [`${path}: ${rows.length} rows`, ...faults]
}
