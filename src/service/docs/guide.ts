import { formatCount } from '../../core/text.js'
import { deliveryLimits, fieldLimits } from '../../contract/limits.js'
import { routes, type Route, type RouteName } from '../../contract/routes.js'
import { limits } from '../limits.js'
import { html, joinHtml, renderTable, type Html } from '../../web/html.js'
import { exampleAnswers, exampleEvent } from './examples/calls.js'
import { listErrorReplies } from './error-replies.js'
import { description, errorTexts } from './openapi.js'
import { renderCodeBlock, renderInlineCode, renderJson, renderSamples, samples } from './samples.js'

/** Returns the address of a route in the reference, relative to `/`. */
const toReferencePath = (name: RouteName): string => `docs/reference#operation/${name}`

interface Section {
  readonly id: string
  readonly title: string
  readonly body: Html
}

/** Returns the sections of the guide; `origin` is the address of the service. */
export function buildGuideSections(origin: string): Section[] {
  return [
    { id: 'key', title: 'Get a key', body: renderKeyGuide(origin) },
    { id: 'submit', title: 'Submit a company', body: renderSubmitGuide() },
    { id: 'poll', title: 'Poll for the answer', body: renderPollGuide() },
    { id: 'webhooks', title: 'Receive webhooks', body: renderWebhookGuide() },
    { id: 'errors', title: 'Errors', body: renderErrorGuide() },
    { id: 'limits', title: 'Limits', body: renderLimits() },
  ]
}

function renderKeyGuide(origin: string): Html {
  return html`<p>
      Every route needs a key in the header <code>apikey</code>, which the operator of the service gives you.
      The key of the account <code>default</code> is the value of <code>ENRICH_SERVE_API_KEY</code> at the
      start of the service. Another account gets one with
    </p>
    ${renderCodeBlock('enrich accounts add NAME', 'A key for another account')}
    <p>
      which prints it once. Its signing secret is printed by
      <code>enrich accounts secrets show NAME</code>. The calls of this page read the address and the key from
      the environment:
    </p>
    ${renderCodeBlock(`export BASE_URL=${origin}\nexport API_KEY=…`, 'Address and key')}
    <p>
      A missing or wrong key is a <code>401</code>. Keep the key out of addresses, logs and web pages: pages
      of other sites are refused and get no CORS headers.
    </p>`
}

function renderSubmitGuide(): Html {
  return html`<p>
      A <code>POST</code> starts a run and returns at once. It is charged; a request sent twice is charged
      twice. If its answer was lost, the run may exist.
    </p>
    ${renderSamples('start', samples.start)}
    ${renderJson(exampleAnswers.kickoffRun[202], 'The answer to a kickoff')}
    <p>
      <code>include: "basis"</code> records the source of each field: request it here and again at the poll.
      <code>custom_id</code> is your own label, returned in every answer and event. All fields:
      <a href="${toReferencePath('kickoffRun')}">kickoffRun</a>.
    </p>`
}

function renderPollGuide(): Html {
  return html`<p>Research takes one to five minutes. Poll every 5 to 10 seconds; polls are free.</p>
    ${renderSamples('poll', samples.poll)}
    <p>
      <code>COMPLETED</code> means that the research has ended, not that a company was found: see
      <code>data.status</code>.
    </p>
    ${renderTable(
      ['data.status', 'Meaning', 'Populated'],
      outcomes.map(([status, meaning, populated]) => [renderInlineCode(status), meaning, populated]),
    )}
    <p>Submitting and polling together:</p>
    ${renderSamples('resolve', samples.resolve)}`
}

const outcomes = [
  ['matched', 'The company was found; confidence of 80 or more', html`<code>entity</code>`],
  ['partial_match', 'A company was found; confidence below 80', html`<code>entity</code>`],
  [
    'inconclusive',
    'Several are possible, or the kind is not supported',
    html`<code>candidate</code>, optional`,
  ],
  ['no_match', 'Nothing was found', 'neither'],
  ['not_found', 'The query is not a business', 'neither'],
  ['merged', 'The company was merged into another one', html`<code>merged_into</code>`],
  ['failed', 'The research failed', 'neither'],
] as const

function renderWebhookGuide(): Html {
  const { retryDelaysSeconds: delays } = deliveryLimits
  return html`<p>
      Instead of polling, name a <code>webhook_url</code> on a v3 request: a public https address, port 443 or
      above 1024. One event is sent for each request that ends. Answer with any 2xx within
      ${deliveryLimits.answerSecondsMax} seconds; otherwise it is sent again after ${delays.join(', ')}
      seconds, ${delays.length + 1} times in total. It may arrive twice: handle each <code>id</code> once.
      After the last attempt the run poll still returns the answer.
    </p>
    ${renderJson({ ...exampleEvent, data: { object: { ...exampleEvent.data.object, data: { status: 'matched', '…': '…' } } } }, 'An event')}
    <p>
      Verify every delivery by its raw bytes before you read it. The signing secret begins with
      <code>whsec_</code>; what follows is the key in base64. While a secret is replaced, each delivery has
      two signatures for ${deliveryLimits.rotatedSecretHours} hours.
    </p>
    ${renderSamples('verify', samples.verify)}
    <p>
      A body of more than 1 MB has <code>data_truncated: true</code> and without
      <code>data.object.data</code>: poll the run.
    </p>`
}

/** Renders the statuses with their error types: those of the routes, and those possible on any path. */
function renderErrorGuide(): Html {
  const types = new Map<number, Set<string>>([
    [405, new Set(['method_not_allowed'])],
    [421, new Set(['misdirected_request'])],
  ])
  for (const [name, route] of Object.entries<Route>(routes)) {
    for (const { status, examples } of listErrorReplies(name as RouteName, route)) {
      const known = types.get(status) ?? new Set()
      for (const body of Object.values(examples)) {
        const type = findErrorType(body)
        if (type !== null) known.add(type)
      }
      types.set(status, known)
    }
  }
  const rows = [...types]
    .sort(([a], [b]) => a - b)
    .map(([status, known]) => [
      renderInlineCode(String(status)),
      joinHtml([...known].map(renderInlineCode), ', '),
      errorTexts[status] ?? '',
    ])
  return html`<p>
      v3 answers with one shape; branch on the status and on <code>type</code>, never on <code>message</code>.
    </p>
    ${renderJson({ error: { type: 'bad_request', message: 'body.name: name must have at least 2 characters' } }, 'An error of v3')}
    <p>
      v1 and v2 have several shapes: see the answers of their routes. A failed resolution is not an error: it
      is a
      <code>200</code>. After a <code>429</code> wait <code>ratelimit-reset</code> seconds. Polls and reads
      can be repeated after <code>500</code>, <code>502</code>, <code>503</code> and <code>504</code>; a
      submission that got no answer, or one of these, may have been charged: do not repeat it blindly.
    </p>
    ${renderTable(['Status', 'Types', 'Meaning'], rows, 'statuses')}
    ${description
      .split('\n\n')
      .slice(1)
      .map((text) => html`<p>${text}</p>`)}`
}

/** Returns the error type in an error body; `null` if it has none, as in some errors of v1 and v2. */
function findErrorType(body: object): string | null {
  const { error, code } = body as { error?: { type?: string } | string; code?: string }
  return (typeof error === 'string' ? error : error?.type) ?? code ?? null
}

/** Renders the limits per minute of each route, and the size limits. */
function renderLimits(): Html {
  const rows = Object.entries<Route>(routes).flatMap(([name, { method, path, limit }]) =>
    limit === null
      ? []
      : [
          [
            html`<a href="${toReferencePath(name as RouteName)}">${method} ${path}</a>`,
            `${limit.perMinute} per minute for each ${limit.per}`,
          ],
        ],
  )
  const sizes = [
    ['Name', `at least ${fieldLimits.nameCharsMin} characters`],
    ['custom_id', `at most ${fieldLimits.customIdCharsMax} characters of printable ASCII`],
    ['webhook_url', `at most ${fieldLimits.webhookUrlCharsMax} characters`],
    ['Body of a request', `at most ${formatCount(limits.bodyBytesMax)} bytes`],
    ['Open streams', `${limits.streamsPerKeyMax} for each key`],
    ['Search results', `at most ${fieldLimits.searchResultsMax}`],
  ]
  return html`<p>
      Each limited answer has <code>x-ratelimit-limit-minute</code>,
      <code>x-ratelimit-remaining-minute</code> and <code>ratelimit-reset</code>, the seconds until the minute
      is over. Beyond the limit the answer is a <code>429</code>. One without these headers is a limit of the
      plan: waiting does not help.
    </p>
    ${renderTable(['Route', 'Limit'], rows)} ${renderTable(['Value', 'Limit'], sizes)}`
}
