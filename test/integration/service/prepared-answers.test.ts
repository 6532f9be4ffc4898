import { afterAll, describe, expect, test } from 'vitest'
import { prepareResolution } from '../../../src/app/matcher-protocol.js'
import type { ServiceClient } from '../../../src/client/client.js'
import { callId, customId, runId } from '../../../src/contract/enums.js'
import { runObjectLenient } from '../../../src/contract/result.js'
import type { Exchange } from '../../../src/core/http-exchange.js'
import { renderAnswer } from '../../../src/pipeline/answers/answer-line.js'
import { readConfidence, readOutcome, readResolvedAtMs } from '../../../src/pipeline/scheduler/outcome.js'
import { unpackBody, unpackLine } from '../../../src/pipeline/checkpoint/packed-answer.js'
import { createProtocol } from '../../../src/pipeline/scheduler/protocol.js'
import type { PreparedAnswer } from '../../../src/pipeline/answers/joined-line.js'
import { openShippedRegistry } from '../../../src/registry/read-registry.js'
import { formatRunBody } from '../../../src/service/runs/polls.js'
import { buildRunObject, buildRunOutcome, toResolutionText } from '../../../src/service/runs/run-outcome.js'

const registry = openShippedRegistry()
afterAll(() => {
  registry.close()
})

const run = {
  runId: runId.parse(`run_${'a'.repeat(32)}`),
  customId: customId.parse('enr_1'),
  callId: callId.parse(`req_${'b'.repeat(24)}`),
  withBasis: true,
  nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
}
const asks = (name: string, location: string | null = null) => ({ name, location, context: null })

/** The body of the poll, and the answer as prepared. */
function answer(query: ReturnType<typeof asks>, asked = run) {
  const resolution = registry.resolve(query)
  const text = toResolutionText(resolution)
  const stored = { ...buildRunOutcome(text, query, asked), ...asked, jobId: null, requestId: null }
  const body = formatRunBody(stored, asked.withBasis)
  return { resolution, body, prepared: prepareResolution(resolution, text, query, asked) }
}

describe('an answer that is prepared where it is made', () => {
  const names = [
    'Tesco PLC',
    'tesco',
    'Apple',
    'Sony Group',
    'Nobody Such Ltd',
    '!!',
    'A "quoted" 株式会社 \u2028 name',
    'Roll',
  ]
  test.each(names.flatMap((name) => [null, 'London, GB', 'US'].map((location) => [name, location] as const)))(
    'is what the poller makes of the body: %s in %s',
    (name, location) => {
      for (const withBasis of [true, false]) {
        const query = asks(name, location)
        const { resolution, body, prepared } = answer(query, { ...run, withBasis })
        const read = runObjectLenient.parse(JSON.parse(body))
        expect(JSON.stringify(buildRunObject(resolution, query, { ...run, withBasis }))).toBe(body)
        if (prepared === null) throw new Error('not prepared')
        expect(unpackBody(prepared.packed)).toBe(JSON.stringify(read))
        expect(unpackLine(prepared.packed)).toBe(renderAnswer(read))
        expect(prepared).toMatchObject({
          bodyChars: body.length,
          outcome: readOutcome(read, false),
          confidence: readConfidence(read),
          resolvedAtMs: readResolvedAtMs(read),
        })
      }
    },
  )

  test('a failed answer is not prepared', () => {
    const failed = { ...registry.resolve(asks('!!')), status: 'failed' } as const
    expect(prepareResolution(failed, toResolutionText(failed), asks('!!'), run)).toBeNull()
  })
})

describe('a poll whose answer is prepared', () => {
  const { body, prepared } = answer(asks('Tesco PLC'))
  const takes = (one: PreparedAnswer | null) => ({ take: () => one })
  const asked = {
    lookupId: 1,
    runId: run.runId,
    customId: run.customId,
    name: 'Tesco PLC',
    submittedAtMs: 0,
    needsAttention: null,
  }
  const judge = (exchange: Exchange, change: Partial<typeof asked> = {}, answers = takes(prepared)) =>
    createProtocol('resolution', {} as ServiceClient, 'unknown', answers).judgePoll(
      exchange,
      { ...asked, ...change },
      0,
    )
  const reply = (text: string, status = 200): Exchange => ({
    kind: 'reply',
    status,
    headers: {},
    text,
    bodyFault: null,
    get body(): unknown {
      return JSON.parse(text) as unknown
    },
  })

  test('is finished without reading the body', () => {
    const unread: Exchange = Object.defineProperty(reply(body), 'body', {
      get: () => {
        throw new Error('the body was read')
      },
    })
    expect(judge(unread).kind).toBe('finished')
    expect(judge(unread)).toHaveProperty('prepared', prepared)
  })

  test('has the run of the body, if that is asked for', () => {
    const verdict = judge(reply(body))
    expect(verdict).toMatchObject({ kind: 'finished', run: { run_id: run.runId, status: 'COMPLETED' } })
  })

  const other: PreparedAnswer | null = prepared && { ...prepared, customId: 'enr_2' }
  test.each([
    ['of another length', reply(`${body} `), {}, takes(prepared), 'finished'],
    [
      'that is still pending',
      reply('{"run_id":"r","status":"PENDING"}', 202),
      {},
      takes(prepared),
      'misdirected',
    ],
    ['of another submission', reply(body), {}, takes(other), 'finished'],
    ['for another name', reply(body), { name: 'Larkmoor' }, takes(prepared), 'misdirected'],
    ['for another run', reply(body), { runId: 'run_2' }, takes(prepared), 'misdirected'],
    ['without a prepared answer', reply(body), {}, takes(null), 'finished'],
  ] as const)('a reply %s is judged by its body', (_, exchange, change, answers, kind) => {
    const verdict = judge(exchange, change as Partial<typeof asked>, answers)
    expect(verdict.kind).toBe(kind)
    expect(verdict).not.toHaveProperty('prepared')
  })

  test('a refusal is judged by its status', () => {
    const refused = { kind: 'reply', status: 429, headers: {}, body: {}, bodyFault: null } as const
    expect(judge(refused).kind).toBe('rate_limited')
  })
})
