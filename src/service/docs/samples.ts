import { html, type Html, type HtmlPart } from '../../web/html.js'

/** A code sample: one task in one language. A test runs each sample unchanged. */
interface Sample {
  readonly language: 'Shell' | 'JavaScript' | 'Python'
  readonly code: string
}

/** The samples of one step, in each language. */
export type Samples = readonly Sample[]

const shellStart = `curl -sS -X POST "$BASE_URL/v3/entity-resolution/async" \\
  -H "apikey: $API_KEY" -H 'content-type: application/json' \\
  -d '{"name": "Acme Trading", "location": "Leeds", "include": "basis", "custom_id": "row-17"}'
`

const shellPoll = `# RUN_ID is the run_id of the answer above.
until answer=$(curl -sS "$BASE_URL/v3/runs/$RUN_ID?include=basis" -H "apikey: $API_KEY")
  printf '%s' "$answer" | grep -q '"status":"\\(COMPLETED\\|FAILED\\)"'
do sleep 5; done
printf '%s\\n' "$answer"
`

const javascriptResolve = `const { BASE_URL, API_KEY } = process.env

async function call(path, options = {}) {
  const headers = { apikey: API_KEY, 'content-type': 'application/json' }
  // The key must not follow a redirect to another host.
  const reply = await fetch(BASE_URL + path, { ...options, headers, redirect: 'error' })
  const body = await reply.json()
  if (!reply.ok) throw new Error(\`\${reply.status} \${body.error?.type ?? body.message}\`)
  return body
}

const { run_id } = await call('/v3/entity-resolution/async', {
  method: 'POST',
  body: JSON.stringify({ name: 'Acme Trading', location: 'Leeds', include: 'basis' }),
})
let run
do {
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  run = await call(\`/v3/runs/\${run_id}?include=basis\`)
} while (run.status === 'PENDING')
console.log(run.data?.status ?? 'failed', run.data?.entity?.legal_name ?? '')
`

const pythonResolve = `import json, os, time, urllib.request

def call(path, body=None):
    request = urllib.request.Request(
        os.environ["BASE_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"apikey": os.environ["API_KEY"], "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)

company = {"name": "Acme Trading", "location": "Leeds", "include": "basis"}
run_id = call("/v3/entity-resolution/async", company)["run_id"]
while True:
    time.sleep(5)
    run = call(f"/v3/runs/{run_id}?include=basis")
    if run["status"] != "PENDING":
        break
data = run["data"] or {"status": "failed", "entity": None}
print(data["status"], (data["entity"] or {}).get("legal_name", ""))
`

const javascriptVerify = `import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')

/** Whether a delivery is genuine. \`body\` is a Buffer of the bytes as they came. */
function isGenuine(headers, body) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!id || !/^\\d+$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false
  const hmac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body)
  const expected = Buffer.from('v1,' + hmac.digest('base64'))
  const entries = (headers['webhook-signature'] ?? '').split(' ')
  return entries.some((entry) => {
    const given = Buffer.from(entry)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end()
  const event = JSON.parse(body)
  // Store it before the answer, once for each event.id: an event may come twice.
  console.log(event.type, event.data.object.run_id)
  response.writeHead(204).end()
}).listen(Number(process.env.PORT))
`

const pythonVerify = `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_genuine(headers, body):
    """Whether a delivery is genuine. body is the bytes as they came."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(KEY, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    entries = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(entry.encode(), expected.encode()) for entry in entries)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if is_genuine(self.headers, body):
            event = json.loads(body)
            # Store it before the answer, once for each event["id"]: an event may come twice.
            print(event["type"], event["data"]["object"]["run_id"], flush=True)
        self.send_response(204 if is_genuine(self.headers, body) else 401)
        self.end_headers()

HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
`

const shellVerify = `# verify.sh ID TIMESTAMP SIGNATURES < body: exits with 0 if the delivery is genuine.
key=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
age=$(($(date +%s) - $2))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || exit 1
expected=$({ printf '%s.%s.' "$1" "$2"; cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 | tr -d '\\n')
for entry in $3; do
  [ "$entry" = "v1,$expected" ] && exit 0
done
exit 1
`

export const samples = {
  start: [{ language: 'Shell', code: shellStart }],
  poll: [{ language: 'Shell', code: shellPoll }],
  resolve: [
    { language: 'JavaScript', code: javascriptResolve },
    { language: 'Python', code: pythonResolve },
  ],
  verify: [
    { language: 'JavaScript', code: javascriptVerify },
    { language: 'Python', code: pythonVerify },
    { language: 'Shell', code: shellVerify },
  ],
} as const satisfies Record<string, Samples>

export const renderInlineCode = (text: string): Html => html`<code>${text}</code>`

/** Can be scrolled, also by keyboard, if it is wider than the page. */
export const renderCodeBlock = (code: HtmlPart, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre>`

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g

/** Renders JSON with its keys and values highlighted. */
export function renderJson(value: unknown, label: string): Html {
  const text = JSON.stringify(value, null, 2)
  const parts: HtmlPart[] = []
  let end = 0
  for (const match of text.matchAll(jsonToken)) {
    const [token, string, colon = ''] = match
    const kind = string === undefined ? 'n' : colon === '' ? 's' : 'k'
    parts.push(text.slice(end, match.index), html`<span class="${kind}">${string ?? token}</span>`, colon)
    end = match.index + token.length
  }
  return renderCodeBlock([...parts, text.slice(end)], label)
}

/** Renders a sample in each language, one of which is shown. `group` must be unique in the page. */
export function renderSamples(group: string, samples: Samples): HtmlPart {
  const blocks = samples.map(({ language, code }) => ({ language, body: renderCodeBlock(code, language) }))
  if (blocks.length === 1) return blocks.map(({ body }) => body)
  return html`<div class="tabs">
    ${blocks.map(({ language, body }, index) => {
      const id = `${group}-${index + 1}`
      return html`<input type="radio" name="${group}" id="${id}" ${index === 0 ? 'checked' : null} />
        <label for="${id}">${language}</label>
        <div class="pane">${body}</div>`
    })}
  </div>`
}
