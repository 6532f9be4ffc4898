import { beforeAll, expect, test } from 'vitest'
import type { EntityRecord } from '../../src/contract/entity.js'
import type { EntityId } from '../../src/contract/enums.js'
import { previewSize } from '../../src/service/reconciliation/manifest.js'
import { fakeKnowledge, fullRecord, sampleEntity, sampleRecord } from '../support/fake-knowledge.js'
import { startTestService, type TestService } from '../support/test-service.js'

const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(2)>\'&amp;'

const made: EntityRecord = {
  ...sampleRecord(sampleEntity({ id: 'siq_hostile' as EntityId })),
  legal_name: hostile,
  display_name: hostile,
  status: hostile,
  website: 'javascript:alert(3)',
  identifiers: [{ type: 'registration_id', value: hostile, jurisdiction: null }],
  parent_entity: { name: hostile },
}
const turned: EntityRecord = {
  ...sampleRecord(sampleEntity({ id: 'siq_turned' as EntityId })),
  legal_name: 'תנובה \u202e בע"מ',
  display_name: 'תנובה',
}
const bare: EntityRecord = {
  ...sampleRecord(sampleEntity({ id: 'siq_bare' as EntityId })),
  legal_name: null,
  display_name: null,
  status: null,
  website: null,
  identifiers: [],
  headquarters: {
    address: {
      ...sampleEntity().headquarters.address,
      street_address: null,
      city: null,
      postal_code: null,
      country: null,
      country_code: null,
      formatted_address: null,
    },
  },
}

let it: TestService
beforeAll(async () => {
  it = await startTestService({
    knowledge: fakeKnowledge({
      entities: [fullRecord(), made, bare, turned],
      merged: { siq_older: 'siq_acme' },
      ownership: () => ({
        targetId: 'siq_acme',
        ultimateParentId: null,
        entities: ['siq_acme', 'siq_top'].map((id) => ({
          id,
          name: `Company ${id}`,
          country_code: null,
          jurisdiction: null,
          organization_type: 'business',
          is_publicly_traded: false,
        })),
        relationships: [
          {
            id: 'r1',
            from: 'siq_top',
            to: 'siq_acme',
            relationship_type: 'parent_of',
            ownership_percentage: null,
            established_date: null,
          },
        ],
        evidence: [],
      }),
    }),
    reconciliation: { access: null, origins: [] },
  })
})

const read = async (path: string) => {
  const reply = await it.nobody.get(`/reconcile/${path}`)
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8')
  // Neither what sets words apart nor the space between blocks says anything of them.
  const { status, headers, text } = reply
  return { status, headers, text: text.replaceAll(/<\/?bdi>/g, '').replaceAll(/>\s+</g, '><') }
}

test('a preview tells a company at a glance, in a frame of the size that the manifest says', async () => {
  const { text } = await read('preview?id=siq_acme')
  expect(text.replaceAll(/<style>[^]*<\/style>/g, '').replaceAll(/<[^>]*>/g, '|')).toMatch(
    /\|Acme Trading Limited\|\s*\|Acme · Leeds, United Kingdom · active\|\s*\|\s*\|Address\|\|1 High Street, Leeds LS1 1AA, United Kingdom\|/,
  )
  expect(text).toContain(`width: ${previewSize.width}px;\n  height: ${previewSize.height}px;`)
  expect(text).toContain('<dt>Parent</dt><dd>Company siq_top</dd>')
  expect(text).not.toContain('<a ')
})

test('a view tells all that is known, with links to the website and the owners', async () => {
  const { text } = await read('view?id=siq_acme')
  expect(text).toContain('<dt>Parent</dt><dd><a href="/reconcile/view?id=siq_top">Company siq_top</a></dd>')
  expect(text).toContain('<a href="https://acme.example" rel="noopener noreferrer">https://acme.example</a>')
  expect(text).toContain('<dt>Founded</dt><dd>1949-09-17</dd>')
  expect(text).toContain('<dt>Id</dt><dd>siq_acme</dd>')
})

test.each(['preview', 'view'])('what a register holds is text in a %s, never markup', async (page) => {
  const { text } = await read(`${page}?id=siq_hostile`)
  expect(text).not.toMatch(/<script|<img|href="javascript/i)
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=alert(2)&gt;')
  expect(text).toContain('javascript:alert(3)')
})

test('a name from right to left, or with a mark that turns text, is set apart from what stands beside it', async () => {
  for (const page of ['preview', 'view']) {
    const { text } = await it.nobody.get(`/reconcile/${page}?id=siq_turned`)
    expect(text).toContain('<h1><bdi>תנובה \\u202e בע&quot;מ</bdi></h1>')
    expect(text).toMatch(/<p><bdi>תנובה<\/bdi> · <bdi>[^<]+<\/bdi> · <bdi>active<\/bdi><\/p>/)
  }
})

test('a company of which nothing is known is told by its id', async () => {
  expect((await read('preview?id=siq_bare')).text).toContain('<h1>siq_bare</h1><p>GB</p>')
})

test('a merged id shows the company it became', async () => {
  expect((await read('view?id=siq_older')).text).toContain('<dd>siq_acme</dd>')
})

test.each([
  '?id=siq_nobody',
  '?id=',
  '',
  '?id=Q42',
  '?id=%00',
  '?id=siq_acme&id=siq_acme',
  `?id=${'x'.repeat(9_000)}`,
])('The page of the unknown id %j says that it is unknown', async (query) => {
  for (const page of ['preview', 'view']) {
    const reply = await read(page + query)
    expect(reply.status).toBe(404)
    expect(reply.text).toContain('<h1>No such company</h1>')
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
  }
})
