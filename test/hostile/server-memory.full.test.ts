import { spawn } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkplace } from '../support/pipeline-job.js'
import { completedRun } from '../support/true-service.js'
import { intactStates } from './checkpoint-state.js'
import { sendText, startHostileServer, type Act, type HostileOptions } from './hostile-server.js'
import { withText } from './strange-values.js'

const rowCount = 16
const childPath = fileURLToPath(new URL('memory-child.ts', import.meta.url))
/** 100 kB on the wire become 100 MB. */
const bomb = gzipSync(Buffer.alloc(100_000_000, ' '))

function pourEndlessly(response: ServerResponse): true {
  const chunk = Buffer.alloc(1_048_576, ' ')
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.writeHead(200).on('drain', pour)
  pour()
  return true
}

const firstTwo =
  (act: Act): Act =>
  (response, call) =>
    call.attempt <= 2 && act(response, call)

const manyCitations = `[${`${JSON.stringify({ url: 'https://x.example/'.repeat(4), excerpt: 'x' })},`.repeat(60_000).slice(0, -1)}]`
const polls: Readonly<Record<string, Act>> = {
  'bombs of gzip': firstTwo((response) => sendText(response, 200, bomb, { 'content-encoding': 'gzip' })),
  'bodies without an end': firstTwo(pourEndlessly),
  'sixty thousand citations in every answer': (response, { runId, name }) =>
    sendText(
      response,
      200,
      withText(completedRun(runId, name), ['data', 'basis', '0', 'citations'], manyCitations),
    ),
}

/** Sixteen polls at one time, each with an answer of the size that is taken at most. */
const grownMiBMax = 400

test.each(Object.entries(polls))('%s: the memory of the process stays bounded', async (_, poll) => {
  let isHostile = false
  const options: HostileOptions = { poll: (response, call) => isHostile && poll(response, call) }
  const place = createWorkplace()
  const server = await startHostileServer(options)
  onTestFinished(async () => {
    await server.close()
  })
  place.writeRows(Array.from({ length: rowCount }, (_unused, index) => `Company ${index},`))
  const config = {
    input: { paths: [place.path('companies.csv')] },
    output: { path: place.path('out.ndjson') },
    checkpoint: { path: place.path('checkpoint.sqlite') },
    service: { baseUrl: server.baseUrl },
    limits: { submitPerMinute: 60_000, pollPerMinute: 60_000 },
    polling: { firstAfterSeconds: 0, intervalSeconds: 0.01, deadlineMinutes: 100_000 },
  }
  const child = spawn(
    process.execPath,
    ['--max-old-space-size=256', '--import', 'tsx', childPath, JSON.stringify(config)],
    {
      env: { PATH: process.env['PATH'], ENRICH_API_KEY: server.apiKey },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    // The next run is the one that is measured.
    isHostile = true
  }
  expect(lines).toEqual(['warm', expect.stringContaining('grownMiB')])
  const report = JSON.parse(lines[1] ?? '') as { grownMiB: number }
  expect(report).toMatchObject({ stop: null, answeredCount: rowCount })
  expect(report.grownMiB).toBeLessThan(grownMiBMax)
  expect(new Set(Object.values(intactStates(config.checkpoint.path)))).toEqual(new Set(['answered']))
})
