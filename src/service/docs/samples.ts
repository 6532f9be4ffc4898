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

interface ExampleCall {
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly address: string
  readonly body?: unknown
}

/** Returns one call of a route in each language. */
export function buildCallSamples({ method, address, body }: ExampleCall): Samples {
  const json = body === undefined ? null : JSON.stringify(body)
  const shell = [
    `curl -sS ${method === 'POST' ? '-X POST ' : ''}"$BASE_URL${address}"`,
    `  -H "apikey: $API_KEY"${json === null ? '' : " -H 'content-type: application/json'"}`,
    ...(json === null ? [] : [`  -d '${json.replaceAll("'", "'\\''")}'`]),
  ]
  const javascript = [
    `const reply = await fetch(process.env.BASE_URL + ${JSON.stringify(address)}, {`,
    ...(method === 'POST' ? [`  method: 'POST',`] : []),
    `  headers: { apikey: process.env.API_KEY${json === null ? '' : ", 'content-type': 'application/json'"} },`,
    ...(json === null ? [] : [`  body: JSON.stringify(${json}),`]),
    `  redirect: 'error',`,
    '})',
    'console.log(reply.status, await reply.text())',
  ]
  const python = [
    'import os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["BASE_URL"] + ${JSON.stringify(address)},`,
    `    method="${method}",`,
    `    headers={"apikey": os.environ["API_KEY"]${json === null ? '' : ', "content-type": "application/json"'}},`,
    ...(json === null ? [] : [`    data=${JSON.stringify(json)}.encode(),`]),
    ')',
    'with urllib.request.urlopen(request, timeout=30) as reply:',
    '    print(reply.status, reply.read().decode())',
  ]
  return [
    { language: 'Shell', code: shell.join(' \\\n') },
    { language: 'JavaScript', code: javascript.join('\n') },
    { language: 'Python', code: python.join('\n') },
  ]
}
