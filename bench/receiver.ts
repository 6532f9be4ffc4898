/**
 * How long a standing receiver takes to acknowledge: `npx tsx bench/receiver.ts [deliveries a second] [seconds]`,
 * after `npm run build`. Each delivery is signed, 8 KB, of a new run, and answered once it is durable.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { strangeMatch, strangeResult } from '../test/support/strange-shapes.js'
import { eventOf, newSecret, send } from '../test/support/webhook-sender.js'

const perSecond = Number(process.argv[2] ?? 10)
const seconds = Number(process.argv[3] ?? 60)
const secret = newSecret()
const folder = mkdtempSync(join(tmpdir(), 'enrich-bench-receiver-'))
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const receiver = spawn(
  process.execPath,
  [main, 'receive', '--webhook-listen', '127.0.0.1:0', '--checkpoint', join(folder, 'checkpoint.sqlite')],
  {
    cwd: folder,
    env: { PATH: process.env['PATH'], ENRICH_WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'ignore', 'pipe'],
  },
)
const target = await new Promise<string>((resolve) => {
  receiver.stderr.on('data', (chunk: Buffer) => {
    const found = /Receiving webhooks at (http:\S+)/.exec(chunk.toString('utf8'))
    if (found?.[1] !== undefined) resolve(found[1])
  })
})

const query = { name: 'Acme', location: null, context: 'x'.repeat(6_000) }
const data = strangeResult(strangeMatch('Acme SE'), query, true)
const tookMs: number[] = []
let failedCount = 0
const startedAtMs = performance.now()
const all: Promise<void>[] = []
for (let index = 0; index < perSecond * seconds; index++) {
  await sleep(Math.max(0, startedAtMs + (index * 1000) / perSecond - performance.now()))
  const event = eventOf({ run_id: `run_${index}`, custom_id: `enr_${index}`, status: 'COMPLETED', data })
  const sentAtMs = performance.now()
  all.push(
    send(target, event, { secrets: [secret] }).then((status) => {
      if (status === 204) tookMs.push(performance.now() - sentAtMs)
      else failedCount++
    }),
  )
}
await Promise.all(all)
const elapsedSeconds = (performance.now() - startedAtMs) / 1000
tookMs.sort((one, other) => one - other)
const quantile = (share: number) =>
  (tookMs[Math.min(tookMs.length - 1, Math.floor(tookMs.length * share))] ?? NaN).toFixed(1)
console.log(
  `${tookMs.length} acknowledged, ${failedCount} not, ${(tookMs.length / elapsedSeconds).toFixed(0)} a second: ` +
    `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${quantile(1)} ms (bound: p99 250 ms at 10 a second)`,
)
receiver.kill('SIGTERM')
rmSync(folder, { recursive: true, force: true })
