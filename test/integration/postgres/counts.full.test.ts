import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePostgresUrl } from '../../../src/core/server-addresses.js'
import { openShared } from '../../../src/pipeline/checkpoint/postgres/open-database.js'
import { readSharedCounts } from '../../../src/pipeline/checkpoint/postgres/status.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { connectPostgres } from '../../../src/platform/postgres/connect.js'
import type { Postgres } from '../../../src/platform/postgres/postgres.js'
import { findPostgres, sharedPostgres, type SharedPostgres } from '../../support/postgres-server.js'

const programs = findPostgres() ?? ''
const lookupCount = 20_000

describe.skipIf(programs === '')('what enrich status counts', () => {
  let server: SharedPostgres
  let postgres: Postgres

  beforeAll(async () => {
    server = await sharedPostgres(programs)
    const shared = await openShared(server.url(), { clock: systemClock, random: systemRandom })
    await shared.close()
    postgres = connectPostgres(parsePostgresUrl(server.url()))
    // Of each ten lookups: six answered (five of them matched), one each failed, running, uncertain, new.
    server.sql(`
      INSERT INTO enrich.scopes (scope) VALUES ('https://a.example'), ('https://b.example');
      INSERT INTO enrich.jobs (scope_id, input, started_at_ms) VALUES (1, '["a.csv"]', 50), (2, '["b.csv"]', 60);
      INSERT INTO enrich.workers (name, job, lease_until) VALUES ('w', 'j', clock_timestamp());
      INSERT INTO enrich.lookups (scope_id, key, name, state, custom_id, answered_at_ms)
        SELECT 1 + (n % 4 = 0)::integer, decode(md5(n::text), 'hex'), 'company ' || n,
          (ARRAY['answered','answered','answered','answered','answered','answered','failed','running','uncertain','new'])[1 + n % 10],
          CASE WHEN n % 10 < 9 THEN 'c' || n END, CASE WHEN n % 10 < 7 THEN 100 + n END
        FROM generate_series(0, ${lookupCount - 1}) n;
      INSERT INTO enrich.submissions (custom_id, lookup_id, job_id, worker_id, attempt, is_first, price_micros, verdict, intended_at_ms)
        SELECT custom_id, lookup_id, scope_id, 1, 1, true, 0, CASE state WHEN 'uncertain' THEN state ELSE 'accepted' END, 50
        FROM enrich.lookups WHERE custom_id IS NOT NULL ORDER BY lookup_id;
      INSERT INTO enrich.answers SELECT lookup_id, 'r', CASE WHEN state = 'failed' THEN state
          WHEN right(name, 1) = '0' THEN 'not_found' ELSE 'matched' END, 1, answered_at_ms, 0, 1, 1, decode(repeat('00', 300), 'hex')
        FROM enrich.lookups WHERE answered_at_ms IS NOT NULL;
      INSERT INTO enrich.job_kinds (job_id, scope_id, reserved)
        SELECT job_id, job_id, count(*) FROM enrich.submissions GROUP BY 1;
      UPDATE enrich.jobs SET started_at_ms = 50;
      ANALYZE enrich.lookups`)
  })
  afterAll(async () => {
    await postgres.close()
    await server.stop()
  })

  test('is counted where there is little', async () => {
    const counts = await readSharedCounts(postgres)
    expect(counts).toMatchObject([
      { scope: 'https://a.example', submissions: 13_000, firstSubmittedAtMs: 50, lastInputs: ['a.csv'] },
      { scope: 'https://b.example', submissions: 5_000, lastAnsweredAtMs: 100 + lookupCount - 4 },
    ])
    expect(counts[0]).not.toHaveProperty('isEstimated')
    const all = (of: (one: (typeof counts)[number]) => number) =>
      counts.reduce((sum, one) => sum + of(one), 0)
    expect(all(({ states }) => states.answered)).toBe(12_000)
    expect(all(({ outcomes }) => outcomes['matched'] ?? 0)).toBe(10_000)
  })

  test('is the same by the counters and samples of a large one, where the sample is all of it', async () => {
    const estimated = await readSharedCounts(postgres, { countedMax: 0, sampled: 1_000_000 })
    const counted = await readSharedCounts(postgres)
    expect(estimated).toEqual(counted.map((one) => ({ ...one, isEstimated: true })))
  })

  test('is near it by a sample of a third: what is open is exact, and so are submissions', async () => {
    const [a] = await readSharedCounts(postgres)
    const [estimated] = await readSharedCounts(postgres, { countedMax: 0, sampled: 100 })
    expect(estimated).toMatchObject({ submissions: a?.submissions, isEstimated: true })
    for (const open of ['running', 'uncertain'] as const)
      expect(estimated?.states[open]).toBe(a?.states[open])
    const ratio = (estimated?.states.answered ?? 0) / (a?.states.answered ?? 1)
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(1.5)
  })
})
