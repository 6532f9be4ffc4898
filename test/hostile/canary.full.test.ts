import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServiceClient } from '../../src/client/client.js'
import { enrich } from '../../src/index.js'
import { resolveApiKey } from '../../src/config/settings.js'
import { at, canary, companiesCsv, createPlace, writeConfig, type CliPlace } from '../support/cli.js'
import { connect, kickoffPath } from '../support/service-client.js'
import { completedRun } from '../support/true-service.js'
import { sendJson, sendText, startHostileServer, type Act, type HostileOptions } from './hostile-server.js'
import { makeFolder } from '../support/temporary-folder.js'

// Every command here runs with the key in its environment; the place it runs in rejects whatever prints it,
// and looks for it in every file that is left when the test ends: outputs, checkpoint, WAL, service data.

const command = ['companies.csv', '-o', 'out.csv', '--basis', 'file']
const spelled = canary.replace(/./g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

async function prepared(options: HostileOptions): Promise<{ place: CliPlace; baseUrl: string }> {
  const place = createPlace()
  place.write('companies.csv', companiesCsv(['Acme']))
  writeConfig(place)
  const server = await startHostileServer({ apiKey: canary, ...options })
  onTestFinished(() => server.close())
  return { place, baseUrl: server.baseUrl }
}

/** A file that may hold the key: outside of what is searched for it. */
function outside(content: string): string {
  const folder = makeFolder()
  writeFileSync(join(folder, 'file'), content)
  return join(folder, 'file')
}

/** Sends the key back in every place of an answer that has one, its headers included. */
const refuse =
  (status: number): Act =>
  (response, { headers }) => {
    const key = String(headers['apikey'])
    const body = `{"error":{"type":"${key}","message":"key ${spelled} is bad: ${encodeURIComponent(key)}"},"${key}":1}`
    return sendText(response, status, body, {
      'x-your-key': key,
      'ratelimit-reset': key,
      location: `http://127.0.0.1:1/${key}`,
      'set-cookie': `key=${key}`,
    })
  }

describe('a server that sends the key back', () => {
  test.each([
    [3, 400],
    [4, 401],
    [4, 403],
    [5, 404],
    [8, 402],
    [5, 302],
    [3, 500],
    [3, 504],
  ])(
    'exit %i after HTTP %i: it stands nowhere, in words, in JSON lines and in debug logs',
    async (code, status) => {
      const { place, baseUrl } = await prepared({ kickoff: refuse(status) })
      const flags = [['--json'], ['--log-level', 'debug']]
      for (const [index, extra] of flags.entries()) {
        const checkpoint = ['--checkpoint', `state-${index}.sqlite`]
        const result = await place.run([...command, ...checkpoint, ...extra], at({ baseUrl }))
        expect([extra, result.code]).toEqual([extra, code])
      }
      const listed = await place.run(
        ['status', '--uncertain', '--checkpoint', 'state-0.sqlite'],
        at({ baseUrl }),
      )
      expect(listed.code).toBe(0)
    },
  )

  test('in answers: every value, every key and the run id are redacted before they are stored', async () => {
    const echo = (text: string) => text.replace(/"(?!run_)([a-z][^"]*)"(?=[,}\]])/gi, `"${canary} $1"`)
    const { place, baseUrl } = await prepared({
      poll: (response, { runId, name }) => {
        const good = JSON.stringify(completedRun(runId, name)).replace(
          '"data":{',
          `"data":{"${canary}":"${spelled}",`,
        )
        return sendText(
          response,
          200,
          echo(good).replace(/"status":"[^"]*COMPLETED"/, '"status":"COMPLETED"'),
        )
      },
    })
    expect((await place.run(command, at({ baseUrl }))).code).toBe(0)
    expect(place.read('out.csv')).toContain('[secret]')
    expect(place.read('out.csv.basis.csv')).toContain('[secret]')
  })

  test('as a run id: it is not asked for in a path', async () => {
    const { place, baseUrl } = await prepared({
      kickoff: (response) => sendJson(response, 202, { status: 'pending', run_id: `run_${canary}` }),
      poll: (response, { url, runId }) => {
        expect(url).not.toContain(canary)
        return sendJson(response, 200, completedRun(runId, 'Acme'))
      },
    })
    expect((await place.run(command, at({ baseUrl }))).code).toBe(0)
    expect(place.read('out.csv')).toContain('run_[secret]')
  })
})

describe('paths that end in an error', () => {
  test('a bug prints its stack and no key', async () => {
    const { place, baseUrl } = await prepared({})
    const bug = outside(`String.prototype.toWellFormed = () => { throw new TypeError('a planted bug') }\n`)
    for (const extra of [['--json'], ['--log-level', 'debug']]) {
      const result = await place.run([...command, ...extra], {
        ...at({ baseUrl }),
        nodeFlags: ['--require', bug],
      })
      expect([result.code, result.stderr]).toEqual([1, expect.stringMatching(/a planted bug\n\s+at /)])
    }
  })

  test('an uncaught exception during a run prints no key', async () => {
    const { place, baseUrl } = await prepared({ poll: () => true })
    const crash = outside(`setTimeout(() => { throw new Error('a crash') }, 1500)\n`)
    const result = await place.run(command, { ...at({ baseUrl }), nodeFlags: ['--require', crash] })
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining('a crash')])
  })

  test.each<[title: string, args: string[], env: Record<string, string>, says: string]>([
    ['a space in the key', command, { ENRICH_API_KEY: `${canary} ${canary}` }, 'API_KEY_INVALID'],
    ['a line end in the key', command, { ENRICH_API_KEY: `${canary}\n${canary}` }, 'API_KEY_INVALID'],
    ['letters that no header takes', command, { ENRICH_API_KEY: `${canary}é` }, 'API_KEY_INVALID'],
    [
      'the key for a file name',
      command,
      { ENRICH_API_KEY: '', ENRICH_API_KEY_FILE: canary },
      'API_KEY_MISSING',
    ],
    ['the key for an address', command, { ENRICH_BASE_URL: canary }, 'BASE_URL_INVALID'],
    [
      'the key in the address',
      command,
      { ENRICH_BASE_URL: `https://x:${canary}@127.0.0.1` },
      'BASE_URL_INVALID',
    ],
    ['the key in a query', command, { ENRICH_BASE_URL: `https://127.0.0.1?k=${canary}` }, 'BASE_URL_INVALID'],
    ['a flag that does not exist', [...command, `--api-key=${canary}`], {}, 'USAGE_INVALID'],
    ['a service key with a space', ['serve'], { ENRICH_SERVE_API_KEY: `${canary} x` }, 'API_KEY_INVALID'],
  ])('%s: refused without repeating it', async (_, args, env, says) => {
    const { place, baseUrl } = await prepared({})
    const variables = { ENRICH_BASE_URL: baseUrl, ...env }
    const json = args[0] === 'serve' ? [] : ['--json']
    const result = await place.run([...args, ...json], { env: variables })
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(says)])
    if (args === command) expect((await place.run(['doctor'], { env: variables })).code).toBe(2)
  })

  test.each([
    ['a key of the config that does not exist', `{"service":{"apiKey":"${canary}"}}`],
    ['the key where a number belongs', `{"limits":{"submitPerMinute":"${canary}"}}`],
    ['a config that is no JSON', `{"apiKey": ${canary}}`],
    ['the key as a key', `{"${canary}": 1`],
  ])('%s: refused without repeating it', async (_, config) => {
    const { place, baseUrl } = await prepared({})
    const args = [...command, '-c', outside(config), '--json']
    expect((await place.run(args, at({ baseUrl }))).code).toBe(2)
  })

  test('a key file: used, and never shown', async () => {
    const { place, baseUrl } = await prepared({ kickoff: refuse(401) })
    const env = { ENRICH_BASE_URL: baseUrl, ENRICH_API_KEY: '', ENRICH_API_KEY_FILE: outside(`${canary}\n`) }
    expect((await place.run(command, { env })).code).toBe(4)
    expect((await place.run(['doctor'], { env })).code).toBe(0)
  })
})

test('a service keeps the hash of its key alone, and logs none that callers show', async () => {
  const place = createPlace()
  const env = { ENRICH_SERVE_API_KEY: canary }
  const serve = place.start(['serve', '--listen', '127.0.0.1:0', '--data', 'data', '--matchers', '0'], {
    env,
  })
  const [, url = ''] = await serve.sees(/Serving at (\S+),/)
  const alice = connect(url, canary)
  const refused = connect(url, `${canary}-wrong`)
  const replies = [
    await alice.post(kickoffPath, { name: 'Acme', custom_id: 'x' }),
    await alice.post(kickoffPath, '{'),
    await alice.get(`/v3/runs/${canary}`),
    await alice.get(`/${canary}?apikey=${canary}`),
    await alice.raw(kickoffPath, { method: 'PUT', headers: { apikey: canary } }),
    await alice.raw(kickoffPath, { method: 'POST', headers: { apikey: [canary, canary] } }),
    await refused.get('/v3/runs/run_1'),
  ]
  expect(replies.map(({ status }) => status)).toEqual([202, 400, 400, 404, 405, 401, 401])
  for (const { text } of replies) expect(text).not.toContain(canary)
  serve.child.kill('SIGTERM')
  expect((await serve.ended).stderr).toContain('Serving')
  expect(place.namesIn('data')).toContain('service.sqlite')
})

test('objects that a program may log show no key, however deep they are looked into', async () => {
  const server = await startHostileServer({ apiKey: canary, kickoff: refuse(401) })
  onTestFinished(() => server.close())
  const environment = { ENRICH_API_KEY: canary }
  const options = { baseUrl: server.baseUrl, apiKey: canary, userAgent: 'test', connectionsMax: 1 }
  const client = createServiceClient(options)
  const exchange = await client.kickoffRun({ name: 'Acme' })
  const run = enrich({ input: { paths: [outside('company_name\nAcme\n')] } }, { environment })
  const error = await run.summary.catch((reason: unknown) => reason)
  for (const thing of [client, exchange, run, error, resolveApiKey(environment)]) {
    const shown = inspect(thing, { depth: Infinity, showHidden: true, getters: true })
    expect(shown).not.toContain(canary)
    expect(JSON.stringify(thing)).not.toContain(canary)
    expect(String(thing)).not.toContain(canary)
  }
  await client.close()
})
