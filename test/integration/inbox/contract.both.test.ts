import { expect, test } from 'vitest'
import type { Inbox } from '../../../src/pipeline/checkpoint/inbox.js'
import { describeInboxes } from './openers.js'

const body = (text: string) => Buffer.from(text)
const waiting = async (inbox: Inbox, after = 0) =>
  (await inbox.listWaiting(after)).map((one) => Buffer.from(one.body).toString())

describeInboxes('an inbox', (at) => {
  test('is shared by processes, and kept when all of them end', async () => {
    const [one, other] = [await at.open('shared'), await at.open('shared')]
    const atMs = Date.now()
    expect(await one.receive('evt_a', body('a'), atMs)).toBe(true)
    expect(await other.receive('evt_a', body('b'), atMs + 1)).toBe(false)
    expect(await waiting(other)).toEqual(['a'])
    await one.close()
    await other.close()
    const later = await at.open('shared')
    expect(await later.listWaiting(0)).toMatchObject([{ receivedAtMs: atMs }])
    await later.close()
  })

  test('of one event that comes in many at once, one is new, and each is acknowledged', async () => {
    let rung = 0
    const ring = () => {
      rung++
    }
    const inboxes = await Promise.all([1, 2].map(() => at.open('at_once', ring)))
    const received = inboxes.flatMap((inbox) =>
      Array.from({ length: 40 }, (_, index) => inbox.receive(`evt_${index % 10}`, body(`${index % 10}`), 1)),
    )
    expect((await Promise.all(received)).filter((isNew) => isNew)).toHaveLength(10)
    expect(rung).toBe(10)
    expect((await waiting(inboxes[0]!)).sort()).toEqual(Array.from({ length: 10 }, (_, index) => `${index}`))
    for (const inbox of inboxes) await inbox.close()
  })

  test('gives pages in order, and what came later has a higher position', async () => {
    const [one, other] = [await at.open('pages'), await at.open('pages')]
    for (let count = 0; count < 50; count++)
      await (count % 2 === 0 ? one : other).receive(`evt_${count}`, body(`${count}`), count)
    const first = await one.listWaiting(0)
    const second = await one.listWaiting(first.at(-1)!.position)
    expect([...first, ...second].map(({ receivedAtMs }) => receivedAtMs)).toEqual(
      Array.from({ length: 50 }, (_, count) => count),
    )
    await one.close()
    await other.close()
  })

  test('a delivery is settled once, whoever settles it; taken, it keeps its id and not its body', async () => {
    const [one, other] = [await at.open('settled'), await at.open('settled')]
    await one.receive('evt_a', body('the answer'), 1)
    const [delivery] = await one.listWaiting(0)
    const { position } = delivery!
    const settled = await Promise.all([
      one.settle(position, 'taken', null),
      other.settle(position, 'quarantined', 'why'),
    ])
    expect(settled.filter((isFirst) => isFirst)).toHaveLength(1)
    expect(await waiting(other)).toEqual([])
    await one.receive('evt_b', body('b'), 1)
    await one.settle((await one.listWaiting(0))[0]!.position, 'taken', null)
    expect(await other.receive('evt_b', body('b'), 2)).toBe(false)
    expect(await at.rows('settled')).toContainEqual({ id: 'evt_b', state: 'taken', body: null })
    await one.close()
    await other.close()
  })

  test('what nobody claimed is looked at again, and nothing else', async () => {
    const inbox = await at.open('again')
    for (const state of ['taken', 'unclaimed', 'quarantined'] as const) {
      await inbox.receive(state, body(state), 1)
      await inbox.settle((await inbox.listWaiting(0))[0]!.position, state, null)
    }
    expect(await waiting(inbox)).toEqual([])
    await inbox.requeue()
    expect(await waiting(inbox)).toEqual(['unclaimed'])
    expect(await at.counts('again')).toEqual({ waiting: 1, taken: 1, unclaimed: 0, quarantined: 1 })
    await inbox.close()
  })

  test('keeps bodies byte for byte, whatever they are', async () => {
    const inbox = await at.open('bytes')
    const large = Buffer.alloc(3_000_000, 'x')
    const odd = Buffer.from([0xff, 0x00, 0x7b, 0x0d, 0x0a])
    const named = body(
      '{"type":"x","data":{"object":{"run_id":"run\\u0000","custom_id":"a\\u0000b","status":"COMPLETED"}}}',
    )
    const all = [odd, large, named, Buffer.alloc(0), large]
    await Promise.all(all.map((one, index) => inbox.receive(`evt_${index}`, one, index)))
    expect(
      (await inbox.listWaiting(0)).map((one) =>
        Buffer.compare(Buffer.from(one.body), all[one.receivedAtMs]!),
      ),
    ).toEqual(all.map(() => 0))
    await inbox.close()
  })

  test('forgets what was taken a week ago, and the rest after ninety days', async () => {
    const receive = async (id: string, state: 'taken' | 'unclaimed') => {
      const inbox = await at.open('old')
      await inbox.receive(id, body('{}'), Date.now())
      await inbox.settle((await inbox.listWaiting(0))[0]!.position, state, null)
      await inbox.close()
    }
    await receive('u1', 'unclaimed')
    await at.age('old', 83)
    await receive('u2', 'unclaimed')
    await receive('t1', 'taken')
    await at.age('old', 2)
    await receive('t2', 'taken')
    await at.age('old', 6)
    await (await at.open('old')).close()
    expect(await at.rows('old')).toMatchObject([{ id: 'u2' }, { id: 't2' }])
  })
})
