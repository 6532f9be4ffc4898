import { fastify, type FastifyInstance, type FastifyReply } from 'fastify'
import type { ListenAddress } from '../../core/server-addresses.js'
import type { Clock } from '../../platform/clock.js'
import { closeWithin, formatHttpUrl, listen, createSourceCheck } from '../../platform/http-server.js'
import { readStylesheets } from '../../web/html.js'
import { readReportStyle } from '../report.js'
import { renderLiveBody, renderLivePage, livePaths, type LiveRun } from './live-page.js'

/**
 * Keeps the page up to date: requests the next state by long polling and replaces the parts that changed. Focus, scroll
 * position, open disclosures and selections are kept.
 */
const liveScript = `'use strict'
const live = document.getElementById('live')
const connection = document.getElementById('connection')
const partsOf = (root) => [...root.querySelectorAll('[data-part]')]
const texts = new Map(partsOf(live).map((part) => [part.dataset.part, part.outerHTML]))
let namesShown = partsOf(live).map((part) => part.dataset.part).join()
let tag = ''

function say(text) {
  if (connection.textContent !== text) connection.textContent = text
}

function isSelected(part) {
  const selection = getSelection()
  return selection !== null && selection.type === 'Range' && selection.containsNode(part, true)
}

function focusIn(root) {
  const focused = document.activeElement
  if (focused === null || focused === document.body || !root.contains(focused)) return null
  if (focused.id !== '') return '#' + CSS.escape(focused.id)
  if (focused.tagName === 'SUMMARY') return '#' + CSS.escape(focused.parentElement.id) + ' > summary'
  const href = focused.getAttribute('href')
  return href === null ? null : 'a[href="' + CSS.escape(href) + '"]'
}

function replaceKeeping(old, fresh) {
  const focus = focusIn(old)
  const open = new Map([...old.querySelectorAll('details[id]')].map((part) => [part.id, part.open]))
  const scrolled = new Map([...old.querySelectorAll('.scroll[id]')].map((part) => [part.id, [part.scrollLeft, part.scrollTop]]))
  old.replaceWith(fresh)
  for (const part of fresh.querySelectorAll('details[id]')) if (open.has(part.id)) part.open = open.get(part.id)
  for (const part of fresh.querySelectorAll('.scroll[id]')) {
    const place = scrolled.get(part.id)
    if (place !== undefined) [part.scrollLeft, part.scrollTop] = place
  }
  if (focus !== null) fresh.querySelector(focus)?.focus({ preventScroll: true })
}

/** True where all of it is shown. */
function show(text) {
  const next = new DOMParser().parseFromString('<div id="live">' + text + '</div>', 'text/html').getElementById('live')
  const names = partsOf(next).map((part) => part.dataset.part).join()
  if (names !== namesShown) {
    namesShown = names
    for (const part of partsOf(next)) texts.set(part.dataset.part, part.outerHTML)
    for (const name of ['header', 'nav', 'main']) replaceKeeping(live.querySelector(name), next.querySelector(name))
    return true
  }
  let isWhole = true
  for (const fresh of partsOf(next)) {
    const name = fresh.dataset.part
    const html = fresh.outerHTML
    if (texts.get(name) === html) continue
    const old = live.querySelector('[data-part="' + CSS.escape(name) + '"]')
    if (isSelected(old)) {
      isWhole = false
      continue
    }
    texts.set(name, html)
    replaceKeeping(old, fresh)
  }
  const title = next.querySelector('h1').textContent
  if (live.querySelector('h1').textContent !== title) live.querySelector('h1').textContent = title
  return isWhole
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function follow() {
  for (;;) {
    try {
      const reply = await fetch('live?after=' + encodeURIComponent(tag), { cache: 'no-store' })
      if (reply.status === 200) {
        const isWhole = show(await reply.text())
        tag = isWhole ? reply.headers.get('x-state') : ''
        say('')
        if (reply.headers.get('x-over') === 'yes' && isWhole) {
          say('The run has ended. This page no longer changes.')
          return
        }
        if (!isWhole) await wait(1000)
      } else if (reply.status !== 204) throw new Error(String(reply.status))
      else say('')
    } catch {
      say('The run has ended or cannot be reached. This page shows its last known state.')
      await wait(3000)
      tag = ''
    }
  }
}

void follow()
`

const liveLimits = {
  /** Minimum interval between two states of a page. */
  stateEveryMs: 1_000,
  /** A waiting request is answered after this time, even if nothing changed. */
  heldMsMax: 20_000,
  /** Time for open pages to load the last state after the run. */
  lastStateMs: 1_500,
  closeGraceMs: 500,
  connectionsMax: 64,
  headerBytesMax: 8_192,
  requestMsMax: 10_000,
} as const

const headersOfAll = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

export interface LiveServerDeps {
  readonly run: LiveRun
  /** Port 0 selects a free one. */
  readonly address: Readonly<ListenAddress>
  readonly clock: Clock
}

export interface LiveServer {
  readonly url: string
  /** Lets open pages load the last state, then stops listening. */
  close(): Promise<void>
}

/**
 * Serves the page of a run. States are rendered on request only. The page requests the state after its own, and the
 * response waits for it (long polling). Throws LISTEN_FAILED.
 */
export async function startLiveServer({ run, address, clock }: LiveServerDeps): Promise<LiveServer> {
  const app = createApp()
  const style = readReportStyle() + readStylesheets('report/live/live')
  const closing = new AbortController()
  /** Number of requests that wait for a state. */
  let waitingCount = 0
  let lastAskedMs = -Infinity
  let isLastTaken = false
  const give = (reply: FastifyReply, type: string, text: string) =>
    reply.type(`${type}; charset=utf-8`).send(text)
  app.get('/', (_request, reply) => give(reply, 'text/html', renderLivePage(run.getData())))
  app.get(`/${livePaths.style}`, (_request, reply) => give(reply, 'text/css', style))
  app.get(`/${livePaths.script}`, (_request, reply) => give(reply, 'text/javascript', liveScript))
  app.get<{ Querystring: { after?: string } }>(`/${livePaths.state}`, async (request, reply) => {
    const { after } = request.query
    waitingCount++
    lastAskedMs = clock.monotonicMs()
    try {
      await nextState(after ?? '', request.raw.socket)
    } finally {
      waitingCount--
      lastAskedMs = clock.monotonicMs()
    }
    if (String(run.version) === after) return reply.code(204).send()
    isLastTaken ||= run.isOver
    reply.header('x-state', String(run.version)).header('x-over', run.isOver ? 'yes' : 'no')
    return give(reply, 'text/html', String(renderLiveBody(run.getData())))
  })
  const bound = await listen(app, address, {
    purpose: ' for the live page',
    hint: 'choose another --watch, or omit the address to use any free port',
  })

  /** Waits for the minimum interval and for a change; returns immediately when the run is over. */
  async function nextState(after: string, socket: NodeJS.EventEmitter): Promise<void> {
    if (after === '' || run.isOver) return
    const gone = new AbortController()
    const onClose = () => {
      gone.abort()
    }
    socket.once('close', onClose)
    const stopped = AbortSignal.any([closing.signal, gone.signal])
    const untilMs = clock.monotonicMs() + liveLimits.heldMsMax
    do await clock.sleep(liveLimits.stateEveryMs, stopped)
    while (!stopped.aborted && String(run.version) === after && clock.monotonicMs() < untilMs)
    socket.off('close', onClose)
  }

  return {
    url: `${formatHttpUrl(bound)}/`,
    close: async () => {
      closing.abort()
      const untilMs = clock.monotonicMs() + liveLimits.lastStateMs
      // A page that received a state recently will soon request the next one.
      const isWatched = () => waitingCount > 0 || clock.monotonicMs() - lastAskedMs < liveLimits.lastStateMs
      while (run.isOver && (!isLastTaken || waitingCount > 0) && isWatched() && clock.monotonicMs() < untilMs)
        await clock.sleep(20)
      await closeWithin(app, liveLimits.closeGraceMs, clock)
    },
  }
}

/** Read-only. Accepts browsers of this machine, or all that reach the address if it is not a loopback address. */
function createApp(): FastifyInstance {
  const app = fastify({
    logger: false,
    http: { maxHeaderSize: liveLimits.headerBytesMax },
    requestTimeout: liveLimits.requestMsMax,
    bodyLimit: 1,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      void reply.code(400).headers(headersOfAll).send()
    },
  })
  app.server.maxConnections = liveLimits.connectionsMax
  const judge = createSourceCheck(app.server)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfAll)
    if (judge(request) === 'allowed') done()
    else void reply.code(403).send()
  })
  app.setNotFoundHandler((_request, reply) => {
    reply.code(404).send()
  })
  app.setErrorHandler((_error, _request, reply) => {
    void reply.code(400).send()
  })
  return app
}
