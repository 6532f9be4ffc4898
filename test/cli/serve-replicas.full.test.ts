import { describe, expect, onTestFinished, test } from 'vitest'
import { canary, createPlace } from '../support/cli.js'
import { findPostgres, startPostgres } from '../support/postgres-server.js'
import { connect, kickoffPath } from '../support/service-client.js'

const programs = findPostgres()

/** Asks until it is so; fails where it does not come to be so. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 400; turn++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it did not come to be so')
}

describe.skipIf(programs === null)('enrich serve on PostgreSQL', () => {
  test('two replicas are one service, and outlive their database', { timeout: 120_000 }, async () => {
    const server = await startPostgres(programs ?? '')
    onTestFinished(() => server.stop())
    const place = createPlace()
    const data = ['--data', server.url()]
    const start = async () => {
      const running = place.start(
        ['serve', '--listen', '127.0.0.1:0', '--matchers', '0', '--research-seconds', '0.2', ...data],
        { env: { ENRICH_SERVE_API_KEY: canary } },
      )
      const [, url = ''] = await running.sees(/Serving at (http:\S+),/)
      return { running, url, client: connect(url, canary) }
    }
    const [a, b] = await Promise.all([start(), start()])
    const both = [a, b] as const
    const other = (at: number) => both[(at + 1) % 2] ?? a

    // What one accepted, the other answers.
    const names = Array.from({ length: 20 }, (_, at) => `Company ${at}`)
    const runIds = await Promise.all(
      names.map(async (name, at) => {
        const { status, json } = await (both[at % 2] ?? a).client.post(kickoffPath, { name, custom_id: name })
        expect(status).toBe(202)
        return String(json['run_id'])
      }),
    )
    const job = await a.client.get(`${kickoffPath}?name=Acme`)
    await until(async () => (await b.client.get('/healthz')).json['pending_runs'] === 0)
    const results = await Promise.all(runIds.map((runId, at) => other(at).client.get(`/v3/runs/${runId}`)))
    expect(results.map(({ status, json }) => [status, json['custom_id']])).toEqual(
      names.map((name) => [200, name]),
    )
    // One window for both: no two calls of a minute are told the same.
    const told = results.map(({ headers }) => headers['x-ratelimit-remaining-minute'])
    expect(new Set(told).size).toBeGreaterThanOrEqual(names.length / 2)
    expect((await b.client.get(`/v3/jobs/${String(job.json['job_id'])}`)).status).toBe(200)
    const streams = await Promise.all(
      both.map(({ client }) => client.get('/v2/entity-resolution/stream?name=Acme')),
    )
    expect(streams.map(({ status }) => status)).toEqual([200, 200])

    // Accounts are changed beside them.
    const show = await place.run(['accounts', 'show', 'default', '--json', ...data])
    expect(JSON.parse(show.stdout)).toMatchObject({ chargedUnits: 23, refundedUnits: 0 })
    const added = await place.run(['accounts', 'keys', 'add', 'default', '--json', ...data])
    const { apiKey, keyId } = JSON.parse(added.stdout) as { apiKey: string; keyId: string }
    const statusWith = async (url: string) => (await connect(url, apiKey).get('/v2/search?name=Acme')).status
    await until(async () => (await statusWith(a.url)) === 200 && (await statusWith(b.url)) === 200)
    await place.run(['accounts', 'keys', 'revoke', 'default', keyId, ...data])
    await until(async () => (await statusWith(a.url)) === 401 && (await statusWith(b.url)) === 401)

    // The database goes away, and comes back.
    await server.crash()
    for (const { client, url } of both) {
      expect(await client.post(kickoffPath, { name: 'Acme' })).toMatchObject({
        status: 500,
        json: { error: { type: 'api_error' } },
      })
      expect((await connect(url, null).get('/healthz')).status).toBe(500)
    }
    await server.startAgain()
    for (const { client } of both) {
      await until(async () => (await client.post(kickoffPath, { name: 'Acme' })).status === 202)
    }
    for (const { running } of both) {
      running.child.kill('SIGTERM')
      const { code, stderr } = await running.ended
      expect(code).toBe(0)
      expect(stderr.match(/requests are refused until the database is back/g)).toHaveLength(1)
      expect(stderr.match(/answers again/g)).toHaveLength(1)
    }
    expect(server.sql("SELECT count(*) FROM enrich_service.ledger WHERE kind = 'charge'")).toBe('25')
  })
})
