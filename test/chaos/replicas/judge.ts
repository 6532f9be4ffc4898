import type { Delivery } from './receiver.js'
import type { Call, Fate } from './traffic.js'

/** Broken promises, a line each, by kind. */
export interface Judged {
  /** Runs without exactly one charge, or with a refund that is not due. */
  readonly charges: string[]
  /** Runs without exactly one result, and calls whose fate is not what was answered. */
  readonly runs: string[]
  /** Runs without exactly one event, delivered under one id. */
  readonly events: string[]
  readonly limits: string[]
  readonly balance: string[]
}

/** A run, as it is stored. */
export interface StoredRun {
  readonly name: string
  readonly runId: string
  readonly requestId: string | null
  readonly surface: 'v2' | 'v3'
  readonly status: 'PENDING' | 'COMPLETED' | 'FAILED'
  readonly charges: number
  readonly refunds: number
  readonly results: number
  readonly eventIds: readonly string[]
  readonly deliveredCount: number
}

export const runsSql = `
  SELECT coalesce(json_agg(run), '[]') FROM (
    SELECT r.query::json->>'name' AS name, r.run_id AS "runId", r.request_id AS "requestId", r.surface, r.status,
      (SELECT count(*) FROM enrich_service.ledger l WHERE l.run_number = r.run_number AND kind = 'charge') AS charges,
      (SELECT count(*) FROM enrich_service.ledger l WHERE l.run_number = r.run_number AND kind = 'refund') AS refunds,
      (SELECT count(*) FROM enrich_service.results s WHERE s.run_number = r.run_number) AS results,
      ARRAY(SELECT event_id FROM enrich_service.events e WHERE e.run_id = r.run_id) AS "eventIds",
      (SELECT count(*) FROM enrich_service.events e
        WHERE e.run_id = r.run_id AND e.delivered_at_ms IS NOT NULL) AS "deliveredCount"
    FROM enrich_service.runs r
  ) AS run`

/** What the ledger comes to, beside what is kept of it and what the account is said to have. */
export const balanceSql = `
  SELECT json_build_object(
    'charges', (SELECT count(*) FROM enrich_service.ledger WHERE kind = 'charge'),
    'refunds', (SELECT count(*) FROM enrich_service.ledger WHERE kind = 'refund'),
    'usedCharges', (SELECT coalesce(sum(charged_units), 0) FROM enrich_service.usage),
    'usedRefunds', (SELECT coalesce(sum(refunded_units), 0) FROM enrich_service.usage))`

export interface Balance {
  readonly charges: number
  readonly refunds: number
  readonly usedCharges: number
  readonly usedRefunds: number
}

export interface Evidence {
  readonly runs: readonly StoredRun[]
  readonly fates: readonly Fate[]
  readonly deliveries: readonly Delivery[]
  readonly calls: readonly Call[]
  readonly balance: Balance
  readonly creditAtFirst: number
  readonly creditAtLast: number
}

export function judge(evidence: Evidence): Judged {
  const { runs } = evidence
  return {
    charges: runs.flatMap((run) => chargeFaults(run)),
    runs: [...runs.flatMap(resultFaults), ...fateFaults(evidence)],
    events: eventFaults(evidence),
    limits: limitFaults(evidence.calls),
    balance: balanceFaults(evidence),
  }
}

function chargeFaults({ name, charges, refunds, surface, status }: StoredRun): string[] {
  const due = surface === 'v2' && status === 'FAILED' ? 1 : 0
  return charges === 1 && refunds === due
    ? []
    : [`${name}: ${charges} charges, ${refunds} refunds, ${status}`]
}

const resultFaults = ({ name, results, status }: StoredRun): string[] =>
  results === 1 && status !== 'PENDING' ? [] : [`${name}: ${results} results, ${status}`]

function fateFaults({ runs, fates }: Evidence): string[] {
  const byName = new Map<string, StoredRun[]>()
  for (const run of runs) byName.set(run.name, [...(byName.get(run.name) ?? []), run])
  return fates.flatMap(({ asked: { name }, fate, id }) => {
    const [run, ...others] = byName.get(name) ?? []
    if (others.length > 0) return [`${name} is stored ${others.length + 1} times`]
    if (fate === 'refused' && run !== undefined) return [`${name} was refused, and is stored`]
    if (fate !== 'accepted') return []
    return run !== undefined && [run.runId, run.requestId].includes(id)
      ? []
      : [`${name} was accepted as ${id ?? ''}, and is lost`]
  })
}

function eventFaults({ runs, deliveries }: Evidence): string[] {
  const byRun = new Map<string, Delivery[]>()
  for (const delivery of deliveries)
    byRun.set(delivery.runId, [...(byRun.get(delivery.runId) ?? []), delivery])
  return runs.flatMap(({ name, runId, surface, eventIds, deliveredCount }) => {
    const came = byRun.get(runId) ?? []
    const ids = new Set(came.flatMap((delivery) => delivery.eventIds))
    const bodies = new Set(came.map(({ bodyHash }) => bodyHash))
    const said = `${name}: ${eventIds.length} events, ${deliveredCount} delivered; ${came.length} came, ${ids.size} ids, ${bodies.size} bodies`
    if (surface === 'v2') return eventIds.length + came.length === 0 ? [] : [said]
    const isRight =
      eventIds.length === 1 &&
      deliveredCount === 1 &&
      ids.size === 1 &&
      bodies.size === 1 &&
      ids.has(eventIds[0] ?? '')
    return isRight && came.every(({ isSigned }) => isSigned) ? [] : [said]
  })
}

const perMinute: Readonly<Record<string, number>> = { run: 600, job: 600, v2: 600, poll: 100 }

/** Only what was sent and answered within one minute is certainly of that minute. */
function limitFaults(calls: readonly Call[]): string[] {
  const counts = new Map<string, number>()
  for (const { route, sentAtMs, answeredAtMs } of calls) {
    const minute = Math.floor(sentAtMs / 60_000)
    if (minute !== Math.floor(answeredAtMs / 60_000)) continue
    counts.set(`${route} ${minute}`, (counts.get(`${route} ${minute}`) ?? 0) + 1)
  }
  return [...counts].flatMap(([key, count]) => {
    const max = perMinute[key.split(' ', 1)[0] ?? ''] ?? 0
    return count <= max ? [] : [`${key}: ${count} calls let through, and ${max} allowed`]
  })
}

function balanceFaults({ runs, balance, creditAtFirst, creditAtLast }: Evidence): string[] {
  const { charges, refunds, usedCharges, usedRefunds } = balance
  const isRight =
    charges === runs.length &&
    usedCharges === charges &&
    usedRefunds === refunds &&
    creditAtFirst - charges + refunds === creditAtLast
  return isRight
    ? []
    : [`${JSON.stringify(balance)} of ${runs.length} runs, credit ${creditAtFirst}, then ${creditAtLast}`]
}
