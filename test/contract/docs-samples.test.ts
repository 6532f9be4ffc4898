import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { entityId } from '../../src/contract/enums.js'
import { fakeKnowledge, matchOf, sampleEntity, sampleRecord } from '../support/fake-knowledge.js'
import { codeOf, hasProgram, run, start, type ShownCode } from '../support/page-samples.js'
import { keys } from '../support/test-service.js'
import { freePort } from '../support/loopback-server.js'
import { eventOf, newSecret, send, signedHeaders } from '../support/webhook-sender.js'
import { startWebhookService, type WebhookService } from '../support/webhook-service.js'
import { makeFolder } from '../support/temporary-folder.js'

/** The code that `/docs` shows is run as it stands there. */
const entity = sampleEntity({ id: entityId.parse('siq_8Kq2vX4mT7') })
const folder = makeFolder()
let it: WebhookService
let shown: ShownCode[]
let environment: Record<string, string>
const children: ChildProcess[] = []
beforeAll(async () => {
  const knowledge = fakeKnowledge({
    answers: { 'Acme Trading': matchOf(entity) },
    entities: [sampleRecord(entity)],
  })
  it = await startWebhookService({ knowledge, pages: true })
  shown = codeOf((await it.nobody.get('/docs')).text)
  environment = { BASE_URL: it.service.url, API_KEY: keys.alice }
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const hasShell = hasProgram('curl')
const hasOpenssl = hasProgram('openssl')
const hasPython = hasProgram('python3')

/** The only block in this language that holds this text. */
function sample(language: string, text: string): string {
  const found = shown.filter(({ label, code }) => label === language && code.includes(text))
  expect(found).toHaveLength(1)
  return found[0]!.code
}

function fileOf(name: string, code: string): string {
  const path = join(folder, name)
  writeFileSync(path, code)
  return path
}

test('the page shows samples in each language', () => {
  const counts = ['Shell', 'JavaScript', 'Python'].map(
    (language) => shown.filter(({ label }) => label === language).length,
  )
  expect(counts).toEqual([3, 2, 2])
})

test('the address of the environment is that of the service', () => {
  const { code } = shown.find(({ label }) => label === 'Address and key')!
  expect(code).toContain(`export BASE_URL=${it.service.url}\n`)
})

describe.runIf(hasShell)('in a shell', () => {
  test('a company is submitted, and its run polled', async () => {
    const submitted = await run(['sh', '-c', sample('Shell', 'curl -sS -X POST')], environment)
    const { run_id: runId, custom_id: label } = JSON.parse(submitted.stdout) as Record<string, string>
    expect(label).toBe('row-17')
    const polled = await run(['sh', '-c', sample('Shell', 'until answer=')], {
      ...environment,
      RUN_ID: runId ?? '',
    })
    expect(polled.stderr).toBe('')
    const answer = JSON.parse(polled.stdout) as Record<string, { status: string; basis: object[] }>
    expect(answer).toMatchObject({ run_id: runId, status: 'COMPLETED' })
    expect(answer['data']?.basis).toHaveLength(2)
  })
})

describe('submitting and polling together', () => {
  const expected = { status: 0, stdout: 'matched Acme Trading Limited\n', stderr: '' }

  test('in JavaScript', async () => {
    const path = fileOf('resolve.mjs', sample('JavaScript', '/v3/entity-resolution/async'))
    expect(await run([process.execPath, path], environment)).toEqual(expected)
    const refused = await run([process.execPath, path], { ...environment, API_KEY: 'wrong' })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('401 unauthorized')
  })

  test.runIf(hasPython)('in Python', async () => {
    const path = fileOf('resolve.py', sample('Python', '/v3/entity-resolution/async'))
    expect(await run(['python3', path], environment)).toEqual(expected)
  })
})

describe('a receiver of webhooks', () => {
  test.each([
    ['JavaScript', 'receiver.mjs', process.execPath, true],
    ['Python', 'receiver.py', 'python3', hasPython],
  ])('in %s takes what the service sends, and nothing else', async (language, file, program, isThere) => {
    if (!isThere) return
    const path = fileOf(file, sample(language, 'webhook-signature'))
    const [secret = ''] = it.secretsOf('alice')
    const port = await freePort()
    const child = start([program, path], { WEBHOOK_SECRET: secret, PORT: String(port) })
    children.push(child)
    const lines: string[] = []
    child.stdout?.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
    const url = `http://127.0.0.1:${port}/hooks`
    await expect.poll(() => send(url, eventOf({}), { secrets: [] }), { timeout: 15_000 }).toBe(401)

    const runId = await it.kickOff(url, { name: 'Acme Trading' })
    await expect
      .poll(() => lines.join(''), { timeout: 15_000 })
      .toBe(`entity_resolution.completed ${runId}\n`)

    const anEvent = eventOf({ run_id: 'run_1', status: 'COMPLETED', data: { text: 'é' } })
    const good = { secrets: [secret] }
    expect(await send(url, anEvent, { secrets: [newSecret(), secret] })).toBe(204)
    expect(await send(url, anEvent, { secrets: [newSecret()] })).toBe(401)
    expect(await send(url, anEvent, { ...good, nowMs: Date.now() - 310_000 })).toBe(401)
    expect(await send(url, anEvent, { ...good, nowMs: Date.now() + 310_000 })).toBe(401)
    expect(await send(url, anEvent, { ...good, headers: { 'webhook-id': 'evt_other' } })).toBe(401)
    expect(await send(url, anEvent, { ...good, headers: { 'webhook-timestamp': '12abc' } })).toBe(401)
    expect(await send(url, anEvent, { ...good, headers: { 'webhook-signature': 'v1,' } })).toBe(401)
    expect(lines.join('').split('\n')).toHaveLength(3)
  })

  test.runIf(hasOpenssl)('in a shell tells a genuine delivery from any other', async () => {
    const path = fileOf('verify.sh', sample('Shell', 'openssl'))
    const secret = newSecret()
    const anEvent = eventOf({ run_id: 'run_1', status: 'COMPLETED', data: { text: 'é\n\n' } })
    const verify = async (options: { secrets: string[]; nowMs?: number }, body = anEvent.body) => {
      const headers = signedHeaders(anEvent, options)
      const args = [
        headers['webhook-id'],
        headers['webhook-timestamp'],
        headers['webhook-signature'] ?? '',
      ] as string[]
      return (await run(['sh', path, ...args], { WEBHOOK_SECRET: secret }, body)).status
    }
    expect(await verify({ secrets: [secret] })).toBe(0)
    expect(await verify({ secrets: [newSecret(), secret] })).toBe(0)
    expect(await verify({ secrets: [newSecret()] })).toBe(1)
    expect(await verify({ secrets: [] })).toBe(1)
    expect(await verify({ secrets: [secret] }, Buffer.concat([anEvent.body, Buffer.from('\n')]))).toBe(1)
    for (const awayMs of [-310_000, 310_000]) {
      expect(await verify({ secrets: [secret], nowMs: Date.now() + awayMs })).toBe(1)
    }
  })
})
