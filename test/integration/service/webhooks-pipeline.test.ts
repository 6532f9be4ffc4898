import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startChild, type Child } from '../../support/child-process.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import { keys } from '../../support/keys.js'
import { createWorkplace, type Workplace } from '../../support/pipeline-job.js'
import { freePort } from '../../support/loopback-server.js'
import { openBesides, type Besides } from '../../support/webhook-service.js'

const serviceModule = import.meta.resolve('../../support/service-child.ts')
const receiverModule = import.meta.resolve('../../support/receiver-child.ts')

let place: Workplace
let besides: Besides
let service: Child
let baseUrl: string
let secret: string
beforeEach(async () => {
  place = createWorkplace()
  const dataFolder = mkdtempSync(join(place.folder, 'service-'))
  service = startChild(serviceModule, dataFolder, '400', '0')
  baseUrl = await service.nextLine()
  besides = openBesides(dataFolder)
  secret = besides.secretsOf('alice')[0] ?? ''
})
afterEach(async () => {
  await service.kill()
  besides.close()
})

const rowCount = 40
/** One is a match, the others are not. */
function writeRows(): void {
  place.writeRows(
    Array.from({ length: rowCount }, (_, index) => (index === 7 ? 'Acme,' : `Company ${index},`)),
  )
}

function expectWholeOutput(): void {
  const rows = place.readOutput()
  expect(rows).toHaveLength(rowCount)
  for (const [index, row] of rows.entries()) {
    const isAcme = index === 7
    expect(row).toMatchObject({
      company_name: isAcme ? 'Acme' : `Company ${index}`,
      enrich_status: isAcme ? 'matched' : 'no_match',
      enrich_legal_name: isAcme ? 'Acme Trading Limited' : '',
    })
  }
}

const environment = () => ({ ENRICH_API_KEY: keys.alice, ENRICH_WEBHOOK_SECRET: secret })

test('every row ends by a webhook of our own service, and nothing is polled', async () => {
  writeRows()
  const address = `127.0.0.1:${await freePort()}`
  const summary = await place.run(
    { baseUrl, apiKey: keys.alice },
    { webhook: { url: `http://${address}/enrich`, listen: address } },
    { environment: environment() },
  )
  expect(summary).toMatchObject({
    stop: null,
    answeredCount: rowCount,
    billedCount: rowCount,
    pollCount: 0,
    contradictionCount: 0,
    deliveries: { taken: rowCount, unclaimed: 0, quarantined: 0 },
    notes: [],
  })
  expectWholeOutput()
  // A basis was asked for, and came with the webhook.
  expect(place.readOutput('out.csv.basis.csv').length).toBeGreaterThan(0)
  await expect.poll(() => besides.events().filter((event) => event.delivered_at_ms === null)).toEqual([])
  expect(besides.events()).toHaveLength(rowCount)
})

test('when the receiver is killed, what it took counts, and the rest is polled for', async () => {
  writeRows()
  const receiver = startChild(receiverModule, place.path('checkpoint.sqlite'), secret, 'answer')
  const url = `${await receiver.nextLine()}/enrich`
  const killed = (async () => {
    for (let takenCount = 0; takenCount < 5; takenCount++) await receiver.nextLine()
    await receiver.kill()
  })()
  const summary = await place.run(
    { baseUrl, apiKey: keys.alice },
    { webhook: { url }, polling: { deadlineMinutes: 60 } },
    { environment: environment(), clock: hurriedClock(200) },
  )
  await killed
  expect(summary).toMatchObject({
    stop: null,
    answeredCount: rowCount,
    billedCount: rowCount,
    pendingCount: 0,
    uncertainCount: 0,
    contradictionCount: 0,
  })
  const { taken } = summary.deliveries
  expect(taken).toBeGreaterThanOrEqual(1)
  expect(taken).toBeLessThan(rowCount)
  expect(summary.pollCount).toBeGreaterThanOrEqual(rowCount - taken)
  expectWholeOutput()
})
