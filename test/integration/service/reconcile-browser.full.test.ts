import { createServer, type Server } from 'node:http'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EntityId } from '../../../src/contract/enums.js'
import { previewSize } from '../../../src/service/reconciliation/manifest.js'
import { findBrowser } from '../../support/browser.js'
import { fakeKnowledge, fullRecord, sampleEntity, sampleRecord } from '../../support/fake-knowledge.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'
import { findBarriers, findTooWide } from '../../support/page-checks.js'
import { manifestShape } from '../../support/reconciliation.js'
import { startTestService, type TestService } from '../../support/test-service.js'

const browserPath = findBrowser()

const long = 'Gesellschaft für außerordentlich weitreichende Angelegenheiten '.repeat(6)
const wordy = {
  ...sampleRecord(
    sampleEntity({
      id: 'siq_wordy' as EntityId,
      legal_name: long,
      display_name: 'W'.repeat(300),
      website: `https://${'w'.repeat(200)}.example`,
    }),
  ),
  parent_entity: { name: long },
  identifiers: (['registration_id', 'lei', 'cik', 'ticker'] as const).flatMap((type) =>
    [1, 2, 3, 4, 5, 6].map((at) => ({ type, value: `${type}${at}`.repeat(4), jurisdiction: null })),
  ),
}

let it: TestService
let browser: Browser
let page: Page
let pages: Server
/** Of the page that calls: as OpenRefine's, on this machine at another port; and one of a name of its own. */
let home: string
let elsewhere: string

/** Opens a page that holds nothing, and notes what its browser complains of. */
async function open(origin: string): Promise<string[]> {
  const complaints: string[] = []
  page = await browser.newPage({ viewport: { width: 900, height: 700 } })
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(origin)
  return complaints
}

/** Runs in the page: the status and the text that it may read, or the error. */
const fetched = (path: string, init: object = {}) =>
  page.evaluate<string>(
    `fetch(${JSON.stringify(it.service.url + path)}, ${JSON.stringify(init)})
      .then(async (reply) => reply.status + ' ' + await reply.text(), String)`,
  )

const queries = '{"q0":{"query":"Acme"}}'
const form = {
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ queries }).toString(),
}

describe.runIf(browserPath !== null)('in a real browser', () => {
  beforeAll(async () => {
    it = await startTestService({
      knowledge: fakeKnowledge({
        entities: [fullRecord(), wordy],
        likely: {
          Acme: {
            companies: [{ id: 'siq_acme' as EntityId, confidence: 99, evidence: [] }],
            isMatched: true,
          },
        },
      }),
      reconciliation: { access: null, origins: [] },
    })
    pages = createServer((_request, reply) => {
      reply.setHeader('content-type', 'text/html').end('<!doctype html><title>a page</title>')
    })
    const port = await listenOnLoopback(pages)
    home = `http://127.0.0.1:${port}/`
    elsewhere = `http://evil.example:${port}/`
    browser = await chromium.launch({
      executablePath: browserPath ?? '',
      args: ['--no-sandbox', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
    })
  })
  afterEach(() => page.close())
  afterAll(async () => {
    await browser.close()
    await closeAtOnce(pages)
  })

  describe('a page of this machine', () => {
    test('reads the manifest, asks, and is told why it is refused', async () => {
      const complaints = await open(home)
      expect(manifestShape.parse(JSON.parse((await fetched('/reconcile')).slice(4))).batchSize).toBe(50)
      expect(await fetched('/reconcile', form)).toMatch(/^200 \{"q0":\{"result":\[\{"id":"siq_acme"/)
      expect(await fetched('/reconcile/suggest/property?prefix=lei')).toMatch(
        /^200 \{"result":\[\{"id":"lei"/,
      )
      expect(complaints).toEqual([])
      expect(await fetched('/reconcile?queries=x')).toMatch(/^400 .*this is not JSON/)
      expect(await fetched('/reconcile', { headers: { apikey: 'wrong' } })).toMatch(/^401 /)
    })

    test('reads nothing else of the service', async () => {
      await open(home)
      for (const path of ['/metrics', '/docs', '/openapi.json', '/v2/search?name=Acme'])
        expect(await fetched(path, { headers: { apikey: 'k' } })).toMatch(/^TypeError/)
    })

    test.each(['siq_acme', 'siq_wordy'])('shows the preview of %s in a frame without rights', async (id) => {
      const complaints = await open(home)
      const { url, width, height } = manifestShape.parse(
        JSON.parse((await fetched('/reconcile')).slice(4)),
      ).preview
      await page.evaluate(
        `new Promise((resolve) => {
          const frame = document.createElement('iframe')
          Object.assign(frame, { width: ${width}, height: ${height}, src: ${JSON.stringify(url.replace('{{id}}', id))} })
          frame.setAttribute('sandbox', '')
          frame.onload = resolve
          document.body.append(frame)
        })`,
      )
      const frame = page.frames().find((one) => one.url().includes('/reconcile/preview'))
      expect(await frame?.locator('h1').innerText()).toContain(
        id === 'siq_acme' ? 'Acme Trading' : 'Gesellschaft',
      )
      const last = await frame?.locator('dl > :last-child').boundingBox()
      const box = await page.locator('iframe').boundingBox()
      expect(last?.y ?? Infinity).toBeLessThan((box?.y ?? 0) + previewSize.height - (last?.height ?? 0))
      expect(complaints).toEqual([])
    })
  })

  describe('a page from elsewhere', () => {
    test('reads nothing and asks nothing', async () => {
      await open(elsewhere)
      for (const path of [
        '/reconcile',
        `/reconcile?queries=${encodeURIComponent(queries)}`,
        '/reconcile/suggest/type',
      ])
        expect(await fetched(path)).toMatch(/^TypeError/)
      expect(await fetched('/reconcile', form)).toMatch(/^TypeError/)
      expect(await fetched('/reconcile', { headers: { apikey: 'k' } })).toMatch(/^TypeError/)
    })

    test('cannot read it as a script, nor show it in a frame', async () => {
      const complaints = await open(elsewhere)
      const ended = await page.evaluate<string>(
        `new Promise((resolve) => {
          window.stolen = () => resolve('stolen')
          const script = document.createElement('script')
          script.src = ${JSON.stringify(`${it.service.url}/reconcile?callback=stolen`)}
          script.onload = () => resolve('loaded')
          script.onerror = () => resolve('refused')
          document.body.append(script)
        })`,
      )
      expect(ended).toBe('refused')
      await page.evaluate(
        `new Promise((resolve) => {
          const frame = document.createElement('iframe')
          frame.src = ${JSON.stringify(`${it.service.url}/reconcile/preview?id=siq_acme`)}
          frame.onload = resolve
          document.body.append(frame)
        })`,
      )
      const texts = await Promise.all(page.frames().map((frame) => frame.content()))
      expect(texts.join()).not.toContain('Acme')
      expect(complaints.join()).toContain('frame-ancestors')
    })
  })

  test.each([
    'preview?id=siq_acme',
    'preview?id=siq_wordy',
    'view?id=siq_acme',
    'view?id=siq_wordy',
    'view?id=none',
  ])('%s is readable, fits, and has no barrier', async (path) => {
    await open(`${it.service.url}/reconcile/${path}`)
    expect(await findTooWide(page)).toMatchObject({ page: 0 })
    // Its policy lets no script in; what looks for barriers is one.
    const html = await page.content()
    await page.goto(home)
    await page.setContent(html)
    expect(await findBarriers(page)).toEqual([])
  })
})
