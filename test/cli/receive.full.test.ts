import { expect, test } from 'vitest'
import { companiesCsv, createPlace, writeConfig, type CliPlace } from '../support/cli.js'
import { startHosted } from '../support/hosted-place.js'
import { strangeMatch, type StrangeService } from '../support/strange-service.js'
import { eventOf, newSecret, send } from '../support/webhook-sender.js'

const url = 'https://hooks.example.com/hooks/enrich'
const secret = newSecret()

/** A standing receiver, and the address a delivery is sent to. */
async function stand(place: CliPlace) {
  const receiver = place.start(['receive', '--webhook-listen', '127.0.0.1:0', '--webhook-url', url], {
    env: { ENRICH_WEBHOOK_SECRET: secret },
  })
  const [, target = ''] = await receiver.sees(/Receiving webhooks at (\S+),/)
  return { receiver, target }
}

const serve = (target: () => string): Promise<StrangeService> =>
  startHosted({
    answers: { Acme: strangeMatch('Acme SE') },
    runTakes: { polls: Infinity },
    accepted: (run, service) => {
      void send(target(), eventOf(service.finished(run)), { secrets: [secret] })
    },
  })

test('a standing receiver fills the inbox of runs that come and go, and ends when it is told to', async () => {
  const place = createPlace()
  writeConfig(place)
  place.write('companies.csv', companiesCsv(['Acme', 'Nobody']))
  const { receiver, target } = await stand(place)
  const service = await serve(() => target)
  const env = { ENRICH_BASE_URL: service.baseUrl }
  const run = await place.run(['companies.csv', '-o', 'out.csv', '--webhook-url', url], { env })
  expect(run.stderr).toContain('2 webhooks')
  expect(run.code).toBe(0)
  expect(place.read('out.csv')).toContain('Acme SE')
  expect(service.requests.filter(({ method }) => method === 'GET')).toEqual([])

  // One that nobody waits for, and one that nobody signed.
  expect(await send(target, eventOf({ run_id: 'run_x', status: 'COMPLETED' }), { secrets: [secret] })).toBe(
    204,
  )
  expect(await send(target, eventOf({ run_id: 'run_x' }), { secrets: [] })).toBe(401)
  const status = await place.run(['status'])
  expect(status.stdout).toContain('Webhooks: 2 processed · 1 waiting for the next run')
  const json = JSON.parse((await place.run(['status', '--json'])).stdout) as { inbox: object }
  expect(json.inbox).toEqual({ waiting: 1, taken: 2, unclaimed: 0, quarantined: 0 })
  await place.run(['companies.csv', '-o', 'out.csv', '--webhook-url', url], { env })
  expect((await place.run(['status'])).stdout).toContain('1 unclaimed')

  receiver.child.kill('SIGTERM')
  const ended = await receiver.ended
  expect(ended.stderr).toContain('Received 3 webhooks; refused 1 unsigned')
  expect(ended.code).toBe(0)
  expect(ended.stderr + ended.stdout).not.toContain(secret.slice(6))
})

test.each([
  ['nowhere to listen', ['receive'], 'USAGE_INVALID'],
  ['no secret', ['receive', '--webhook-listen', '127.0.0.1:0'], 'WEBHOOK_SECRET_MISSING'],
  ['an address that is none', ['receive', '--webhook-listen', 'x'], 'USAGE_INVALID'],
  [
    'a URL that the service cannot reach',
    ['receive', '--webhook-listen', '127.0.0.1:0', '--webhook-url', 'https://me.local/'],
    'WEBHOOK_URL_INVALID',
  ],
])('a receiver with %s says so', async (_, args, code) => {
  const { code: exitCode, stderr } = await createPlace().run(args)
  expect(stderr).toContain(`error ${code}: `)
  expect(exitCode).toBe(2)
})

test('doctor checks the secret and the address', async () => {
  const place = createPlace()
  const args = ['doctor', '--webhook-listen', '127.0.0.1:8788']
  const good = await place.run([...args, '--webhook-url', url], { env: { ENRICH_WEBHOOK_SECRET: secret } })
  expect(good.stdout).toContain(`ok    webhook     a signing secret is set; answers are sent to ${url}`)
  expect(good.stdout).not.toContain(secret.slice(6))
  const unset = await place.run([...args, '--webhook-url', url])
  expect(unset.stdout).toContain('FAIL  webhook     WEBHOOK_SECRET_MISSING')
  expect(unset.code).toBe(2)
  const wrong = await place.run([...args, '--webhook-url', 'http://hooks.example.com/'])
  expect(wrong.stdout).toContain('WEBHOOK_URL_INVALID')
})
