import { writeFileSync } from 'node:fs'
import { stringify } from 'csv-stringify/sync'
import { describe, expect, onTestFinished, test } from 'vitest'
import { at, createPlace, quickConfig, writeConfig, type CliPlace } from '../support/cli.js'
import { completedRun } from '../support/true-service.js'
import { sendText, startHostileServer, type HostileOptions } from './hostile-server.js'
import { terminalDrivers } from './naughty-strings.js'

/** Clears the screen, in each way that a terminal knows, and turns the rest of the line round. */
const evil = '\u001b[2J\u009b2J\u001b]0;owned\u0007\u202e'
const evilJson = JSON.stringify(evil).slice(1, -1)
const nameColumn = `name${evil}`
const inputName = `in${evil}.csv`
const command = [inputName, '-o', `out${evil}.csv`, '--name-column', nameColumn]

async function prepared(options: HostileOptions): Promise<{ place: CliPlace; baseUrl: string }> {
  const place = createPlace()
  // The last row of the input is short.
  writeConfig(place, {
    ...quickConfig,
    input: { acceptDoubtful: true },
    submission: { onServerError: 'resubmit' },
  })
  const rows = [`Acme${evil}`, `Bolt${evil}`]
  writeFileSync(
    place.path(inputName),
    stringify([
      [nameColumn, `city${evil}`, 'long'],
      ...rows.map((name) => [name, `Lyon${evil}`, evil]),
      ['x', 'y'],
    ]),
  )
  const server = await startHostileServer(options)
  onTestFinished(() => server.close())
  return { place, baseUrl: server.baseUrl }
}

/** Nothing that drives a terminal, and every line of JSON still says what it said. */
function expectHarmless({ stdout, stderr }: Awaited<ReturnType<CliPlace['run']>>): void {
  expect(stdout).not.toMatch(terminalDrivers)
  expect(stderr).not.toMatch(terminalDrivers)
}

describe('control characters never reach the terminal raw', () => {
  test('from file names, headers and cells: plan, run, status, export, retry', async () => {
    const { place, baseUrl } = await prepared({})
    const where = at({ baseUrl })
    const asked = [...command, '--location-columns', `city${evil}`, '--log-level', 'debug']
    const commands = [
      ['plan', ...asked.slice(0, -2)],
      ['plan', ...asked.slice(0, -2), '--json'],
      [...asked],
      ['status'],
      ['export', ...asked.slice(0, -2)],
      ['retry', ...asked, '--status', 'matched'],
    ]
    for (const args of commands) {
      const result = await place.run(args, where)
      expect([args[0], result.code]).toEqual([args[0], 0])
      expectHarmless(result)
      // It was there to be shown, and is.
      if (args[0] === 'plan') expect(result.stdout).toContain('\\u001b[2J')
    }
    expect(place.names()).toContain(`out${evil}.csv`)
    expect(place.read(`out${evil}.csv`)).toContain(evil)
  })

  test('from words of the service: outcomes, unknown keys, and reasons of refusals', async () => {
    const { place, baseUrl } = await prepared({
      poll: (response, { runId, name }) => {
        const run = JSON.stringify(completedRun(runId, name))
        const odd = run
          .replace('"matched"', `"${evilJson}matched"`)
          .replace('"data":{', `"data":{"key${evilJson}":1,`)
        return sendText(response, 200, odd)
      },
    })
    const result = await place.run(command, at({ baseUrl }))
    expect(result.stderr).toMatch(/new in this run/)
    expectHarmless(result)
    const refused = await prepared({
      kickoff: (response) =>
        sendText(response, 403, `{"error":{"type":"${evilJson}","message":"no ${evilJson}"}}`),
    })
    for (const extra of [[], ['--json'], ['--quiet']]) {
      const stopped = await refused.place.run([...command, ...extra], at(refused))
      expect(stopped.code).toBe(4)
      expectHarmless(stopped)
    }
  })

  test('from names of uncertain lookups, and the reasons why', async () => {
    const { place, baseUrl } = await prepared({
      kickoff: (response) => sendText(response, 504, `{"error":{"type":"t","message":"late ${evilJson}"}}`),
    })
    await place.run(command, at({ baseUrl }))
    for (const extra of [[], ['--json']]) {
      const listed = await place.run(['status', '--uncertain', ...extra])
      expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('Acme')])
      expectHarmless(listed)
    }
  })

  test.each([
    ['a file that is not there', ['plan', `gone${evil}.csv`]],
    ['a column that is not there', ['plan', inputName, '--name-column', `n${evil}`]],
    ['a flag that is none', ['plan', inputName, `--${evil}`]],
    ['a command that is none', [evil]],
    ['a checkpoint that is not there', ['status', '--checkpoint', `gone${evil}.sqlite`]],
    ['a config that is not there', ['plan', inputName, '-c', `gone${evil}.json`]],
  ])('from %s, in words and in JSON', async (_, args) => {
    const { place } = await prepared({})
    for (const extra of [[], ['--json']]) {
      const result = await place.run([...args, ...extra])
      expect([result.code, result.stderr]).toEqual([2, expect.stringMatching(/^error [A-Z_]+: /)])
      expectHarmless(result)
    }
  })

  test('what JSON lines say of such a text is still that text', async () => {
    const { place } = await prepared({})
    const { stdout } = await place.run(['plan', `gone${evil}.csv`, '--json'])
    expect((JSON.parse(stdout) as { message: string }).message).toContain(`gone${evil}.csv`)
  })
})
