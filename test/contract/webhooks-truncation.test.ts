import { afterAll, describe, expect, test } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { event } from '../../src/contract/events.js'
import type { EventId } from '../../src/contract/enums.js'
import { deliveryLimits } from '../../src/contract/limits.js'
import { buildEventBody, type NewEvent } from '../../src/service/deliveries/outbox.js'
import { fakeKnowledge, matchOf, sampleEntity } from '../support/fake-knowledge.js'
import { startHookReceiver } from '../support/hook-receiver.js'
import { startWebhookService } from '../support/webhook-service.js'

const eventId = 'evt_1' as EventId
const bytesMax = deliveryLimits.payloadBytesMax

/** An event whose result is this text. */
function eventWith(text: string): NewEvent {
  return {
    accountNumber: 1,
    type: 'entity_resolution.completed',
    webhookUrl: 'https://hooks.example.com/',
    runId: 'run_1',
    customId: null,
    object: { run_id: 'run_1', custom_id: 'row "7"', status: 'COMPLETED', data: { text } },
    createdAtMs: 1_767_225_600_999,
  }
}

/** The body of an event of so many bytes, if it is sent whole. */
function bodyOf(byteCount: number, letter: string): string {
  const letterBytes = Buffer.byteLength(letter)
  const emptyBytes = Buffer.byteLength(buildEventBody(eventId, eventWith('')))
  const letterCount = Math.floor((byteCount - emptyBytes) / letterBytes)
  const text = letter.repeat(letterCount)
  return buildEventBody(
    eventId,
    eventWith(text + 'x'.repeat(byteCount - emptyBytes - letterCount * letterBytes)),
  )
}

const bare = {
  id: eventId,
  object: 'event',
  type: 'entity_resolution.completed',
  api_version: 'v3',
  created: 1_767_225_600,
  data: { object: { run_id: 'run_1', custom_id: 'row "7"', status: 'COMPLETED', data: null } },
  data_truncated: true,
}

describe('a body', () => {
  // ASCII; two, three and four bytes each; two characters for one byte of JSON.
  test.each(['x', 'é', '€', '𝄞'])(
    'TRN-02 TRN-03 TRN-04 in %s of exactly a megabyte is sent whole',
    (letter) => {
      const body = bodyOf(bytesMax, letter)
      expect(Buffer.byteLength(body)).toBe(bytesMax)
      const told = JSON.parse(body) as object
      expect(told).not.toHaveProperty('data_truncated')
      expect(told).toHaveProperty('data.object.data.text')
    },
  )

  test.each([
    ['x', bytesMax + 1],
    ['é', bytesMax + 1],
    ['€', bytesMax + 1],
    ['𝄞', bytesMax + 1],
    ['€', 1_048_576],
    ['x', 1_048_577],
    ['x', 5_000_000],
  ])(
    'TRN-01 TRN-03 TRN-04 in %s of %s bytes goes without its data, and keeps its ids',
    (letter, byteCount) => {
      expect(JSON.parse(bodyOf(byteCount, letter))).toEqual(bare)
    },
  )

  test('is the same made of JSON text and of what becomes it', () => {
    for (const text of ['a', 'x'.repeat(bytesMax)]) {
      const given = eventWith(text)
      expect(buildEventBody(eventId, { ...given, object: JSON.stringify(given.object) })).toBe(
        buildEventBody(eventId, given),
      )
    }
  })
})

describe('a result of more than a megabyte', () => {
  const description = '€'.repeat(400_000)
  const knowledge = fakeKnowledge({ answers: { Acme: matchOf(sampleEntity({ description })) } })

  test('TRN-01 TRN-05 is sent without its data, and signed so; the run poll has it whole', async () => {
    const it = await startWebhookService({ knowledge })
    const receiver = await startHookReceiver()
    afterAll(() => receiver.close())
    const runId = await it.kickOff(receiver.url, { custom_id: 'row 7' })
    const [delivered] = await receiver.has(1)
    const { event: told, body, headers } = delivered!
    expect(event.parse(told)).toEqual(told)
    expect(told.data_truncated).toBe(true)
    expect(told.data.object).toEqual({
      run_id: runId,
      custom_id: 'row 7',
      status: 'COMPLETED',
      data: null,
    })
    const [secret = ''] = it.secretsOf('alice')
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(told)
    const poll = await it.alice.get(`/v3/runs/${runId}`)
    expect(poll.json).toMatchObject({ status: 'COMPLETED', data: { entity: { description } } })
  })
})
