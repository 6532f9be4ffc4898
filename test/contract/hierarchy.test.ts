import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../src/contract/errors.js'
import { hierarchyReply, type HierarchyReply } from '../../src/contract/hierarchy.js'
import { createKnowledge } from '../../src/app/registry-adapter.js'
import { openShippedRegistry } from '../../src/registry/read-registry.js'
import type { ServiceOptions } from '../../src/service/service.js'
import { fakeKnowledge, sampleRecord } from '../support/fake-knowledge.js'
import { manualClock } from '../support/manual-clock.js'
import { ownershipOf } from '../support/ownerships.js'
import type { ServiceClient } from '../support/service-client.js'
import { startTestService, type TestService } from '../support/test-service.js'

const paths = (id: string) => [`/v1/entity/${id}/hierarchy`, `/v1/entity/${id}/ultimate-parent`]
const buildMs = 60_000

/** Research of `siq_acme` succeeds, that of `siq_broken` throws; other companies are unknown. */
function startResearch(options: Partial<ServiceOptions> = {}) {
  const asked: string[] = []
  const ownership = ownershipOf('a', ['b > a 60', 'c > b', 'a > e'], {
    evidence: ['https://register.example/1'],
  })
  const knowledge = fakeKnowledge({
    entities: [sampleRecord()],
    merged: { siq_old: 'siq_acme' },
    ownership: (id) => {
      asked.push(id)
      if (id === 'siq_broken') throw new Error('the index is gone: /secret/path')
      return id === 'siq_acme' ? ownership : null
    },
  })
  const clock = manualClock()
  const started = startTestService({ knowledge, clock, buildMs: { min: buildMs, max: buildMs }, ...options })
  return started.then((service) => ({ ...service, clock, asked }))
}

async function read(client: ServiceClient, id: string): Promise<HierarchyReply> {
  const reply = await client.get(paths(id)[0]!)
  expect(reply.status).toBe(200)
  return hierarchyReply.parse(reply.json)
}

async function request(client: ServiceClient, id: string): Promise<HierarchyReply> {
  const reply = await client.post(paths(id)[0]!, {})
  expect(reply.status).toBe(202)
  return hierarchyReply.parse(reply.json)
}

/** What a research comes to that is due. */
async function settled(client: ServiceClient, id: string): Promise<HierarchyReply> {
  for (let poll = 0; poll < 1_000; poll++) {
    const reply = await read(client, id)
    if (reply.status !== 'in_progress') return reply
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  throw new Error(`the research of ${id} does not end`)
}

describe('research of ownership', () => {
  test('H-01 H-02 H-03 H-05 not_started, in_progress, completed: 200 in the same envelope', async () => {
    const { alice, clock } = await startResearch()
    const envelope = ['entity_id', 'status', 'data', 'last_researched_at', 'request_id', 'message'].sort()
    const readBoth = async (status: string) => {
      for (const path of paths('siq_acme')) {
        const reply = await alice.get(path)
        expect({ code: reply.status, keys: Object.keys(reply.json).sort() }).toEqual({
          code: 200,
          keys: envelope,
        })
        const body = hierarchyReply.parse(reply.json)
        expect(body).toMatchObject({ entity_id: 'siq_acme', status })
        expect(body.data === null).toBe(status !== 'completed')
        expect(body.last_researched_at === null).toBe(status !== 'completed')
      }
    }
    await readBoth('not_started')
    expect((await request(alice, 'siq_acme')).status).toBe('in_progress')
    await readBoth('in_progress')
    clock.advance(buildMs)
    await settled(alice, 'siq_acme')
    await readBoth('completed')
    expect((await read(alice, 'siq_acme')).last_researched_at).toBe(new Date(clock.nowMs()).toISOString())
  })

  test('H-01 H-04 H-11 an unknown company: not_started, then failed with the reason', async () => {
    const { alice, clock } = await startResearch()
    expect((await read(alice, 'siq_unknown')).status).toBe('not_started')
    await request(alice, 'siq_unknown')
    clock.advance(buildMs)
    const failed = await settled(alice, 'siq_unknown')
    expect(failed).toMatchObject({ status: 'failed', data: null, last_researched_at: null })
    expect(failed.message).toContain('No company of this id is known.')
    expect((await alice.get(paths('siq_unknown')[1]!)).status).toBe(200)
  })

  test('H-04 what research throws is for the log, not for the caller', async () => {
    const { alice, clock, logged } = await startResearch()
    await request(alice, 'siq_broken')
    clock.advance(buildMs)
    const failed = await settled(alice, 'siq_broken')
    expect(failed.status).toBe('failed')
    expect(failed.message).not.toContain('secret')
    expect(logged.join()).toContain('/secret/path')
  })

  test('H-12 reading never begins research, and a request while it goes on begins no second', async () => {
    const { alice, bob, clock, asked } = await startResearch()
    await read(alice, 'siq_acme')
    clock.advance(buildMs)
    expect((await read(alice, 'siq_acme')).status).toBe('not_started')
    await request(alice, 'siq_acme')
    clock.advance(buildMs / 2)
    for (const client of [alice, bob]) expect((await request(client, 'siq_acme')).status).toBe('in_progress')
    clock.advance(buildMs / 2)
    expect((await settled(bob, 'siq_acme')).status).toBe('completed')
    expect(asked).toEqual(['siq_acme'])
  })

  test('H-13 what is completed, or failed, is researched again when it is asked for', async () => {
    const { alice, clock, asked } = await startResearch()
    for (const id of ['siq_acme', 'siq_unknown']) {
      await request(alice, id)
      clock.advance(buildMs)
      const first = await settled(alice, id)
      const again = await request(alice, id)
      expect(again).toMatchObject({ status: 'in_progress', data: null })
      expect(again.last_researched_at).toBe(first.last_researched_at)
      clock.advance(buildMs)
      const second = await settled(alice, id)
      expect({ ...second, last_researched_at: null, request_id: null }).toEqual({
        ...first,
        last_researched_at: null,
        request_id: null,
      })
    }
    expect(asked).toEqual(['siq_acme', 'siq_acme', 'siq_unknown', 'siq_unknown'])
  })

  test('H-03 research that was acknowledged goes on after a restart', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'enrich-hierarchy-'))
    afterAll(() => {
      rmSync(dataFolder, { recursive: true, force: true })
    })
    const first = await startResearch({ dataFolder })
    await request(first.alice, 'siq_acme')
    await first.service.close()
    const second = await startResearch({ dataFolder, buildMs: { min: 0, max: 0 } })
    expect((await settled(second.alice, 'siq_acme')).status).toBe('completed')
  })

  test('MRG-07 a merged company has the hierarchy of the one it was merged into', async () => {
    const { alice, clock, asked } = await startResearch()
    expect(await request(alice, 'siq_old')).toMatchObject({ entity_id: 'siq_old' })
    clock.advance(buildMs)
    expect(await settled(alice, 'siq_old')).toMatchObject({ entity_id: 'siq_old', status: 'completed' })
    expect((await read(alice, 'siq_acme')).status).toBe('completed')
    expect(asked).toEqual(['siq_acme'])
  })
})

describe('what a request may be', () => {
  test.each([
    ['no body and no type', undefined, undefined],
    ['no body, with a type', 'application/json', undefined],
    ['an empty body', 'application/json', ''],
    ['an object', 'application/json', '{"depth": 3}'],
    ['an array', 'application/json', '[1]'],
    ['null', 'application/json', 'null'],
  ])('H-12 %s begins the research', async (_what, type, body) => {
    const { alice, service } = await startResearch()
    const reply = await alice.raw(paths('siq_acme')[0]!, {
      method: 'POST',
      headers: { apikey: 'key-of-alice', ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    })
    expect({ status: reply.status, body: hierarchyReply.parse(reply.json).status }).toEqual({
      status: 202,
      body: 'in_progress',
    })
    await service.close()
  })

  test('H-11 a body that is no JSON is 400, and begins nothing', async () => {
    const { alice } = await startResearch()
    const reply = await alice.raw(paths('siq_acme')[0]!, {
      method: 'POST',
      headers: { apikey: 'key-of-alice', 'content-type': 'application/json' },
      body: '{',
    })
    expect({ status: reply.status, type: errorBody.parse(reply.json).error.type }).toEqual({
      status: 400,
      type: 'bad_request',
    })
    expect((await read(alice, 'siq_acme')).status).toBe('not_started')
  })

  test.each(['acme', 'le_acme', 'op_gb', 'siq_', 'siq_a%20b', 'SIQ_acme', 'siq_%00', 'siq_a%2Fb'])(
    'ID-16 H-11 the id %s is 400, read or requested',
    async (id) => {
      const { alice, service } = await startResearch()
      const [hierarchy = '', ultimate = ''] = paths(id)
      for (const reply of [
        await alice.get(hierarchy),
        await alice.get(ultimate),
        await alice.post(hierarchy, {}),
      ]) {
        expect({ status: reply.status, type: errorBody.parse(reply.json).error.type }).toEqual({
          status: 400,
          type: 'bad_request',
        })
      }
      await service.close()
    },
  )

  test('H-11 without a key it is 401 in the shape of v1, whatever the id', async () => {
    const { nobody } = await startResearch()
    for (const path of [...paths('siq_acme'), ...paths('nonsense')]) {
      const reply = await nobody.get(path)
      expect({ status: reply.status, keys: Object.keys(reply.json) }).toEqual({
        status: 401,
        keys: ['message', 'request_id'],
      })
    }
  })
})

describe('what the registry that ships knows', () => {
  let it: TestService
  const registry = openShippedRegistry()
  const hierarchyOf = async (name: string) => {
    const id = registry.search({ name, limit: 1 }).hits[0]!.entityId
    await request(it.alice, id)
    const reply = await settled(it.alice, id)
    expect(reply.status).toBe('completed')
    return reply.data!
  }
  beforeAll(async () => {
    it = await startTestService({ knowledge: createKnowledge(registry) })
  })

  test('H-06 H-07 H-08 H-09 a chain goes from the company to its ultimate parent', async () => {
    const data = await hierarchyOf('YouTube, LLC')
    const nameOf = (id: string) => data.entities.find((entity) => entity.id === id)?.name
    expect(data.target_entity.name).toBe('YouTube, LLC')
    expect(data.ownership_chain.map(({ parent_id: id }) => nameOf(id))).toEqual([
      'Google LLC',
      'Alphabet Inc.',
    ])
    expect(data.ultimate_parent).toEqual(
      data.entities.find(({ name }) => name === 'Alphabet Inc.') && {
        id: data.ownership_chain[1]!.parent_id,
        name: 'Alphabet Inc.',
      },
    )
    const ids = new Set(data.entities.map(({ id }) => id))
    const named = [
      ...data.relationships.flatMap(({ from, to }) => [from, to]),
      ...data.ownership_chain.flatMap(({ entity_id: id, parent_id: parentId }) => [id, parentId]),
      data.target_entity.id,
    ]
    expect(named.filter((id) => !ids.has(id))).toEqual([])
    expect(data.entities.find(({ name }) => name === 'Alphabet Inc.')).toMatchObject({
      country_code: 'US',
      organization_type: 'business',
      is_publicly_traded: true,
    })
    expect(data.relationships.map(({ relationship_type: type }) => type)).toContain('parent_of')
    expect(data.evidence.length).toBeGreaterThan(0)
    expect(data.evidence.every((url) => URL.canParse(url))).toBe(true)
    expect(data.summary_short).toBe(
      'YouTube, LLC belongs to Google LLC. Its ultimate parent is Alphabet Inc.',
    )
    expect(data.mermaid_diagram).toMatch(/^flowchart TD\n/)
  })

  test('H-08 companies go by their own ids: what is above one is found, read, and asked for in its turn', async () => {
    const data = await hierarchyOf('YouTube, LLC')
    const parent = data.ultimate_parent
    const found = registry.search({ name: 'Alphabet Inc.', limit: 1 }).hits[0]?.entityId
    expect(parent).toEqual({ id: found, name: 'Alphabet Inc.' })
    const record = await it.alice.get(`/v3/entities/${parent?.id}`)
    expect(record).toMatchObject({ status: 200, json: { entity: { id: parent?.id } } })
    expect((await request(it.alice, parent?.id ?? '')).entity_id).toBe(parent?.id)
  })

  test('H-10 a company without owners has no ultimate parent, and its subsidiaries are listed', async () => {
    const data = await hierarchyOf('Microsoft Corporation')
    expect(data).toMatchObject({ ownership_chain: [], ultimate_parent: null })
    expect(data.entities.map(({ name }) => name)).toContain('GitHub, Inc.')
  })

  test('H-06 a foundation above a company is no business', async () => {
    const data = await hierarchyOf('Mozilla Corporation')
    const parent = data.entities.find(({ id }) => id === data.ultimate_parent?.id)
    expect(parent).toMatchObject({ name: 'Mozilla Foundation', organization_type: 'nonprofit' })
  })
})
