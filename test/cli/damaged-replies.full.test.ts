import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { at, type CliPlace } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import { strangeMatch, type StrangeServiceOptions } from '../support/strange-service.js'
import { rowsOfCsv } from '../support/tables.js'

const command = ['companies.csv', '-o', 'out.csv']
const answers = { Acme: strangeMatch('Müller AG'), Bolt: strangeMatch('B\ufffdlt AG') }

/** As a proxy sends it that takes UTF-8 for another encoding and writes that. */
const asLatin1 = (body: object) => (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(Buffer.from(JSON.stringify(body).replaceAll('\ufffd', '?'), 'latin1'))

/** A byte now and then, and no end. */
const dripping = (status: number, text: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  let sentCount = 0
  const timer = setInterval(() => response.write(text.charAt(sentCount++) || ' '), 4)
  response.once('close', () => {
    clearInterval(timer)
  })
}

const start = (names: readonly string[], options: StrangeServiceOptions) =>
  createHostedPlace(names, { answers, ...options })

const rowsOf = (place: CliPlace) =>
  rowsOfCsv(place.read('out.csv')).map((row) => [row['enrich_status'], row['enrich_legal_name']])

describe('a reply that is not UTF-8', () => {
  test('a poll is repeated, and no name is written with replacement characters but one that was sent so', async () => {
    const damaged = new Set<string>()
    const { place, service } = await start(['Acme', 'Bolt'], {
      runTakes: { polls: 1 },
      reply: ({ path, method }, body) => {
        if (method === 'POST' || damaged.has(path)) return body
        damaged.add(path)
        return asLatin1({ ...body, note: 'é' })
      },
    })
    const { code } = await place.run(command, at(service))
    expect([code, rowsOf(place)]).toEqual([
      0,
      [
        ['matched', 'Müller AG'],
        ['matched', 'B\ufffdlt AG'],
      ],
    ])
    expect(service.requests.filter(({ path }) => path.startsWith('/v3/runs/'))).toHaveLength(4)
  })

  test('a submission may have been billed: it is held as uncertain, and is not submitted again', async () => {
    const { place, service } = await start(['Acme'], {
      reply: ({ method }, body) => (method === 'POST' ? asLatin1({ ...body, note: 'é' }) : body),
    })
    for (let time = 0; time < 2; time++) {
      const { code } = await place.run(command, at(service))
      expect([code, rowsOf(place), service.runs.length]).toEqual([3, [['uncertain', '']], 1])
    }
    const [row] = rowsOfCsv(place.read('out.csv'))
    expect(row?.['enrich_error']).toContain('the body is not UTF-8')
  })
})

describe('a reply that drips does not hold up a run that is told to end', () => {
  test.each([
    ['whole but for its end', 0, ['matched', 'Müller AG']],
    ['cut', 3, ['uncertain', '']],
  ])('SIGTERM while a submission is answered: a reply that is %s', async (kind, exitCode, acme) => {
    const textOf = (body: unknown) => JSON.stringify(body).slice(0, kind === 'cut' ? -3 : undefined)
    const { place, service } = await start(['Acme', 'Bolt'], {
      reply: ({ method, body: sent }, body) =>
        method === 'POST' && sent.includes('Acme') ? dripping(202, textOf(body)) : body,
    })
    const running = place.start(command, at(service))
    await expect.poll(() => service.runs.length, { timeout: 60_000 }).toBe(2)
    // The text has dripped by then.
    await sleep(2_000)
    running.child.kill('SIGTERM')
    // The service never ends its reply, so only the run itself can end.
    expect((await running.ended).code).toBe(143)
    const { code } = await place.run(command, at(service))
    expect([code, rowsOf(place)]).toEqual([exitCode, [acme, ['matched', 'B\ufffdlt AG']]])
    expect(service.runs).toHaveLength(2)
    const [row] = rowsOfCsv(place.read('out.csv'))
    if (kind === 'cut') expect(row?.['enrich_error']).toContain('stopped before the answer came')
  })

  // Without the stop, the bound on a reply would end it: after a minute.
  test(
    'SIGINT while a poll is answered: its run is asked for by the next command',
    { timeout: 50_000 },
    async () => {
      let isDripping = true
      const { place, service } = await start(['Acme'], {
        runTakes: { polls: 1 },
        reply: ({ method }, body) =>
          method === 'GET' && isDripping ? dripping(200, JSON.stringify(body)) : body,
      })
      const running = place.start(command, at(service))
      const polls = () => service.requests.filter(({ method }) => method === 'GET').length
      await expect.poll(polls, { timeout: 60_000 }).toBe(1)
      running.child.kill('SIGINT')
      expect((await running.ended).code).toBe(130)
      isDripping = false
      expect((await place.run(command, at(service))).code).toBe(0)
      expect([rowsOf(place), service.runs.length]).toEqual([[['matched', 'Müller AG']], 1])
    },
  )
})
