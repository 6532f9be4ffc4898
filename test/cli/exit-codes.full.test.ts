import { describe, expect, test, type TestContext } from 'vitest'
import { at, canary, type CliPlace } from '../support/cli.js'
import { createHostedPlace, startHosted } from '../support/hosted-place.js'
import type { Fault, StrangeServiceOptions } from '../support/strange-service.js'
import { rowsOfCsv } from '../support/tables.js'

const command = ['companies.csv', '-o', 'out.csv']

interface Ending {
  readonly title: string
  readonly exitCode: number
  readonly says: string
  readonly service?: StrangeServiceOptions
  readonly flags?: readonly string[]
}

/** A refusal that repeats the key, as careless servers do. */
const refusal = (status: number, type: string): Fault => ({
  status,
  body: { error: { type, message: `${canary} is not good enough` } },
})
const atKickoff = (fault: Fault): StrangeServiceOptions => ({
  faults: ({ method }) => (method === 'POST' ? fault : undefined),
})

const ending = (
  exitCode: number,
  title: string,
  says: string,
  more: Pick<Ending, 'service' | 'flags'> = {},
): Ending => ({ exitCode, title, says, ...more })

const endings: readonly Ending[] = [
  ending(0, 'every row has its outcome', 'Done in'),
  ending(3, 'a run failed', '1 failed', { service: { answers: { Acme: 'fails' } } }),
  ending(3, 'the answer to a submission is lost', '2 uncertain', { service: atKickoff('accept_then_reset') }),
  ending(3, 'the service takes no row as it is', '2 refused as invalid', {
    service: atKickoff(refusal(400, 'bad_request')),
  }),
  ending(4, 'the key is refused', 'error SERVICE_REFUSED: ', { service: { apiKey: 'another' } }),
  ending(4, 'the account may not', 'error SERVICE_REFUSED: ', {
    service: atKickoff(refusal(403, 'forbidden')),
  }),
  ending(5, 'nothing there takes submissions', 'error SERVICE_ANSWER_INVALID: ', {
    service: atKickoff(refusal(404, 'resource_missing')),
  }),
  ending(5, 'nothing listens', 'hint: this run submitted nothing; the same command resumes', {
    flags: ['--base-url', 'http://127.0.0.1:1'],
  }),
  ending(8, 'the credit is used up', 'error CREDIT_EXHAUSTED: ', {
    service: atKickoff(refusal(402, 'insufficient_credit')),
  }),
  ending(8, "the plan's limit is reached", 'error PLAN_LIMIT_REACHED: ', {
    service: atKickoff(refusal(429, 'plan_limit_exceeded')),
  }),
  ending(8, 'the budget is used up', 'error LOOKUPS_MAX_REACHED: ', { flags: ['--max-lookups', '1'] }),
  ending(10, 'the time is over', 'error DURATION_MAX_REACHED: ', {
    flags: ['--max-duration', '1s'],
    service: { runTakes: { ms: 600_000 } },
  }),
]

describe('the exit code says how a run ended, and the key is nowhere', () => {
  test.concurrent.for(endings)('$exitCode: $title', async (ending, context) => {
    const { onTestFinished } = context
    const { place, hosted } = await createHostedPlace(['Acme', 'Bolt'], ending.service, onTestFinished)
    const { code, stderr } = await place.run([...command, ...(ending.flags ?? [])], hosted)
    expect([code, stderr]).toEqual([ending.exitCode, expect.stringContaining(ending.says)])
    // Where nothing was submitted, nothing is said of what it cost.
    expect(stderr).not.toMatch(/\b0 submitted,/)
    if (/submitted lookups are/i.test(stderr)) expect(stderr).toMatch(/\b[1-9]\d* submitted/)
    expect(place.names().includes('out.csv')).toBe(code === 0 || code === 3)
    if (code === 0 || code === 3) return
    expect(stderr).toMatch(/^ {2}resume {4}enrich companies\.csv -o out\.csv/m)
    expect(stderr).toMatch(/^ {2}hint: /m)
    await expectResumed(place, onTestFinished)
  })

  /** After whatever stopped it, the same command ends well with a service that works: no row was given up. */
  async function expectResumed(place: CliPlace, whenFinished: TestContext['onTestFinished']): Promise<void> {
    const service = await startHosted({}, whenFinished)
    expect((await place.run(command, at(service))).code).toBe(0)
    expect(rowsOfCsv(place.read('out.csv')).map((row) => row['enrich_status'])).toEqual([
      'no_match',
      'no_match',
    ])
  }

  test('11: the checkpoint is in use, and by whom', async () => {
    const { place, hosted } = await createHostedPlace(['Acme'], { runTakes: { ms: 600_000 } })
    const first = place.start(command, hosted)
    await first.sees(/distinct lookup/)
    const { code, stderr } = await place.run(command, hosted)
    expect([code, stderr]).toEqual([
      11,
      expect.stringContaining(`in use by process ${String(first.child.pid)} `),
    ])
    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
  })

  test('0: the key may stand in a file', async () => {
    const { place, hosted } = await createHostedPlace(['Acme'], { apiKey: 'a-key-in-a-file' })
    place.write('key.txt', 'a-key-in-a-file\n')
    const env = { ...hosted.env, ENRICH_API_KEY: '', ENRICH_API_KEY_FILE: 'key.txt' }
    expect((await place.run(command, { env })).code).toBe(0)
  })
})
