import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CliIo } from '../../../src/cli/terminal/command-io.js'
import { createProgram } from '../../../src/cli/program.js'
import { parseWebhookSecrets } from '../../../src/core/webhooks.js'
import { startChild, type Child } from '../../support/child-process.js'
import { keys } from '../../support/keys.js'
import { connect, kickoffPath, type ServiceClient } from '../../support/service-client.js'
import { makeFolder } from '../../support/temporary-folder.js'

const childModule = import.meta.resolve('../../support/service-child.ts')
const folder = makeFolder()
const dataFolder = join(folder, 'data')

let child: Child
let url: string
let alice: ServiceClient
beforeAll(async () => {
  child = startChild(childModule, dataFolder, '0')
  url = await child.nextLine()
  alice = connect(url, keys.alice)
})
afterAll(async () => {
  await child.kill()
})

/** `enrich accounts …` in this process, on the data of the service in the other one. */
async function accounts(...args: string[]): Promise<{ out: string; err: string }> {
  const said = { out: '', err: '' }
  const io: Partial<CliIo> = {
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
  }
  const program = await createProgram(io as CliIo)
  await program.parseAsync(['accounts', ...args, '--data', dataFolder], { from: 'user' })
  return said
}

const kickOff = async (client: ServiceClient) => (await client.post(kickoffPath, { name: 'Acme' })).status
const read = async (client: ServiceClient) => (await client.get('/v3/runs/run_1')).status
const linesOf = (text: string) => text.trimEnd().split('\n')

describe('while a service runs in another process', () => {
  test('an account that is added can call at once; its key stands alone on standard output, this once', async () => {
    const { out, err } = await accounts('add', 'carol', '--credit', '2')
    const key = out.trimEnd()
    expect(key).toMatch(/^enrich_[0-9a-z]{24}$/)
    expect(err).not.toContain(key)
    const carol = connect(url, key)
    expect([await kickOff(carol), await kickOff(carol), await kickOff(carol)]).toEqual([202, 202, 402])
    await accounts('credit', 'carol', 'add', '1')
    expect([await kickOff(carol), await kickOff(carol)]).toEqual([202, 402])
    const stored = readdirSync(dataFolder).map((name) => readFileSync(join(dataFolder, name), 'latin1'))
    expect(stored.join()).not.toContain(key)
  })

  test('the ENRICH_SERVE_API_KEY can be revoked too, and what that is worth is said', async () => {
    const { out } = await accounts('keys', 'list', 'alice')
    const [keyId = ''] = linesOf(out).filter((line) => line.endsWith('ENRICH_SERVE_API_KEY'))
    const { err } = await accounts('keys', 'revoke', 'alice', keyId.split(' ')[0] ?? '')
    expect(err).toContain('change that before its next start')
    expect(await read(alice)).toBe(401)
    await child.kill()
    child = startChild(childModule, dataFolder, '0')
    url = await child.nextLine()
    alice = connect(url, keys.alice)
    expect(await read(alice)).toBe(404)
  })

  test('the ledger holds what was charged by the other process, a line a unit', async () => {
    const ids: unknown[] = []
    await accounts('add', 'dora', '--credit', '5')
    const key = (await accounts('keys', 'add', 'dora')).out.trimEnd()
    for (let call = 0; call < 3; call++)
      ids.push((await connect(url, key).post(kickoffPath, { name: 'Acme' })).json.run_id)
    const entries = linesOf((await accounts('ledger', 'dora', '--json')).out).map(
      (line) => JSON.parse(line) as { kind: string; units: number; runId: string | null },
    )
    expect(entries.map(({ kind, units, runId }) => [kind, units, runId])).toEqual([
      ['grant', 5, null],
      ...ids.map((id) => ['charge', 1, id]),
    ])
    expect((await accounts('show', 'dora')).out).toMatch(/^credit left {2}2$/m)
    expect(linesOf((await accounts('ledger', 'dora')).out)).toHaveLength(4)
  })

  test('SIG-20 SIG-21 secrets are shown by `secrets show` alone', async () => {
    await accounts('add', 'erin')
    const shown = (await accounts('secrets', 'show', 'erin')).out.trimEnd()
    expect(parseWebhookSecrets(shown).count).toBe(1)
    const rotated = await accounts('secrets', 'rotate', 'erin', '--label', 'november')
    const newest = (await accounts('secrets', 'show', 'erin')).out.trimEnd()
    expect(newest).not.toBe(shown)
    const listed = await accounts('secrets', 'list', 'erin')
    expect(linesOf(listed.out)).toEqual([
      expect.stringMatching(/^wsec_\S+ .* valid +november$/),
      expect.stringMatching(/^wsec_\S+ .* valid until /),
    ])
    const [, oldId = ''] = /\n(wsec_\S+)/.exec(listed.out) ?? []
    const added = await accounts('secrets', 'add', 'erin')
    const deleted = await accounts('secrets', 'delete', 'erin', oldId)
    const refused = accounts('secrets', 'show', 'erin', oldId)
    await expect(refused).rejects.toMatchObject({ code: 'ACCOUNT_ITEM_NOT_FOUND' })
    const said = [rotated, listed, added, deleted, await accounts('show', 'erin')]
    expect(said.map(({ out, err }) => out + err).join()).not.toContain('whsec_')
    await expect(accounts('secrets', 'delete', 'erin', 'whsec_given')).rejects.toThrow(/with this id/)
  })

  test('list tells all, as text and as JSON', async () => {
    const { out } = await accounts('list')
    expect(linesOf(out)[0]).toMatch(/^account +v3 +credit left +this month +keys$/)
    const names = linesOf((await accounts('list', '--json')).out).map(
      (line) => (JSON.parse(line) as { name: string }).name,
    )
    expect(names).toContain('alice')
    expect(names).toEqual([...names].sort())
  })
})

describe('mistakes', () => {
  test.each([
    [['show', 'nobody'], 'ACCOUNT_NOT_FOUND'],
    [['credit', 'nobody', 'add', '1'], 'ACCOUNT_NOT_FOUND'],
    [['keys', 'add', 'nobody'], 'ACCOUNT_NOT_FOUND'],
    [['secrets', 'list', 'nobody'], 'ACCOUNT_NOT_FOUND'],
    [['keys', 'revoke', 'alice', 'key_none'], 'ACCOUNT_ITEM_NOT_FOUND'],
    [['secrets', 'delete', 'alice', 'wsec_none'], 'ACCOUNT_ITEM_NOT_FOUND'],
    [['add', 'alice'], 'ACCOUNT_EXISTS'],
    [['add', 'two words'], 'ACCOUNT_INVALID'],
    [['credit', 'alice', 'add', '1'], 'ACCOUNT_CHANGE_REFUSED'],
    [['set', 'alice'], 'USAGE_INVALID'],
    [['credit', 'alice', 'add', '0'], 'commander.invalidArgument'],
    [['credit', 'alice', 'take', '1'], 'commander.invalidArgument'],
    [['set', 'alice', '--credit', '-1'], 'commander.invalidArgument'],
    [['set', 'alice', '--credit', '1.5'], 'commander.invalidArgument'],
    [['add', 'zoe', '--monthly-units', 'many'], 'commander.invalidArgument'],
    [['keys', 'add', 'alice', '--label', ''], 'commander.invalidArgument'],
  ])('%j is %s', async (args, code) => {
    await expect(accounts(...args)).rejects.toMatchObject({ code })
  })

  test('where no service has kept data, that is said, and nothing is made', async () => {
    const program = await createProgram({ out: () => undefined, err: () => undefined } as unknown as CliIo)
    const elsewhere = join(folder, 'elsewhere')
    const listed = program.parseAsync(['accounts', 'list', '--data', elsewhere], { from: 'user' })
    await expect(listed).rejects.toMatchObject({ code: 'SERVICE_DATA_NOT_FOUND' })
    expect(readdirSync(folder)).not.toContain('elsewhere')
  })
})
