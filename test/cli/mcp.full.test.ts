import { appendFileSync, existsSync, mkdirSync, symlinkSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, type onTestFinished } from 'vitest'
import { startAssistant, type ToolAnswer } from '../support/assistant.js'
import { at, canary, companiesCsv, createPlace, fixture, type CliPlace, quickConfig } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import {
  startStrangeService,
  type StrangeService,
  type StrangeServiceOptions,
} from '../support/strange-service.js'
import { rowsOfCsv } from '../support/tables.js'

const files = ['companies.csv']
const output = 'out.csv'
const billing = { unitPrice: 0.05, currency: 'EUR' }
const names = Array.from({ length: 40 }, (_, index) => `Company ${index}`)
const pause = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms))

/** A folder with forty companies, and a service that bills each submission. `options`: of an assistant that uses it. */
async function createHosted(options: StrangeServiceOptions = {}, config: object = {}) {
  const limits = { ...quickConfig.limits, submitPerMinute: 2_400, submitConcurrency: 4 }
  const { place, service, hosted } = await createHostedPlace(names, {
    ...options,
    config: { limits, billing, ...config },
  })
  return { place, service, options: { env: hosted.env ?? {} } }
}

const allow = (...flags: string[]) => ['--allow-run', ...flags]

function createEmbedded(): CliPlace {
  const place = createPlace()
  place.write('companies.csv', readFileSync(fixture('companies.csv')))
  return place
}

async function untilBilled(service: StrangeService, count: number): Promise<void> {
  while (service.runs.length < count) await pause()
}

/** Repeats a run until an earlier, cancelled one has released the checkpoint. */
async function runWhenFree(run: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  for (;;) {
    const answer = await run()
    if (answer.code !== 'CHECKPOINT_IN_USE') return answer
    await pause(50)
  }
}

describe('every tool', () => {
  test('answers the official client, from the first look at a file to the proposal of a verdict', async () => {
    const place = createEmbedded()
    const assistant = await startAssistant(place, { flags: allow() })
    expect((await assistant.client.listTools()).tools).toHaveLength(8)
    await assistant.call('inspect_file', { file: 'companies.csv' })
    await assistant.call('plan', { files, output, max_lookups: 500 })
    expect(await assistant.call('run', { files, output })).toMatchObject({ code: 'USAGE_INVALID' })
    const steps: number[] = []
    const ran = await assistant.call(
      'run',
      { files, output, max_lookups: 500 },
      { onprogress: ({ progress }) => steps.push(progress) },
    )
    expect(ran).toMatchObject({
      type: 'finished',
      summary: { rowCount: 205, outputPaths: [output, 'out.csv.basis.csv'] },
      resume: { folder: place.folder, command: 'enrich run companies.csv -o out.csv --max-lookups 500' },
    })
    expect(steps.length).toBeGreaterThan(1)
    expect(steps).toEqual([...new Set(steps)].sort((one, other) => one - other))
    const written = place.read(output)
    const { rows } = (await assistant.call('doubtful_rows', { files, count: 5 })) as unknown as {
      rows: { lookup: string; candidates: { entityId: string }[] }[]
    }
    const [first, second] = rows
    const decided = await assistant.call('decide', {
      files,
      decisions: [
        {
          lookup: first?.lookup,
          verdict: 'accepted',
          entity_id: first?.candidates[0]?.entityId,
          note: 'same town',
        },
        { lookup: second?.lookup, verdict: 'none' },
      ],
    })
    expect(decided).toMatchObject({
      proposed: [{ decidedBy: 'assistant: test-client', verdict: 'accepted' }, { verdict: 'none' }],
      path: 'enrich.decisions.proposed.csv',
      confirm: { command: 'enrich review companies.csv' },
    })
    expect(await assistant.call('run', { files, output, max_lookups: 0 })).toMatchObject({
      summary: { decidedCount: 0 },
    })
    expect(place.read(output)).toBe(written)
    expect(await assistant.call('diff')).toMatchObject({ type: 'diff', changes: [] })
    expect(await assistant.call('status')).toMatchObject({ server: { left: { lookups: null, cost: null } } })
    expect(await assistant.call('search_registry', { name: '--help' })).toEqual({ hits: [] })
    expect(existsSync(place.path('enrich.decisions.csv'))).toBe(false)
  })

  test('invalid arguments are errors, and unknown ones too', async () => {
    const assistant = await startAssistant(createEmbedded(), { flags: allow() })
    for (const [name, args] of [
      ['run', { files, output, max_lookups: 1.5 }],
      ['run', { files, output, max_lookups: -1 }],
      ['plan', { files, with: ['entity'] }],
      ['diff', { runs: '--output=x' }],
      ['decide', { files, decisions: [{ lookup: 'a', verdict: 'none' }] }],
    ] as const)
      await expect(assistant.call(name, args)).rejects.toThrow(/validation/i)
    expect(await assistant.call('run', { files, output, name_column: 'nope', max_lookups: 1 })).toMatchObject(
      {
        code: 'INPUT_COLUMN_MISSING',
      },
    )
  })
})

describe('proposals', () => {
  test('are shown by review, and count after a reviewer confirmed them', async () => {
    const place = createEmbedded()
    const assistant = await startAssistant(place, { flags: allow() })
    await assistant.call('run', { files, output, max_lookups: 500 })
    const { rows } = (await assistant.call('doubtful_rows', { files, count: 1 })) as unknown as {
      rows: { lookup: string; candidates: { entityId: string; legalName: string }[] }[]
    }
    const [{ lookup, candidates }] = rows as [(typeof rows)[number]]
    const propose = (verdict: object) =>
      assistant.call('decide', { files, decisions: [{ lookup, verdict: 'accepted', ...verdict }] })
    expect(await propose({ entity_id: 'siq_000000000000000000000000' })).toMatchObject({
      code: 'REVIEW_CHOICE_INVALID',
    })
    expect(await propose({ lookup: '0'.repeat(32), verdict: 'none' })).toMatchObject({
      code: 'REVIEW_LOOKUP_UNKNOWN',
    })
    expect(await propose({ verdict: 'none' })).not.toHaveProperty('code')
    const { entityId, legalName } = candidates[0] ?? { entityId: '', legalName: '' }
    expect(await propose({ entity_id: entityId, note: 'same town' })).not.toHaveProperty('code')
    expect(await assistant.call('doubtful_rows', { files, count: 1 })).toMatchObject({
      rows: [{ lookup, proposal: { verdict: 'accepted', entityId, decidedBy: 'assistant: test-client' } }],
    })
    const exported = await place.run(['review', ...files, '--export', 'todo.csv'])
    expect(exported.code).toBe(0)
    const todo = rowsOfCsv(place.read('todo.csv'))
    expect(todo.find((row) => row['lookup'] === lookup)).toMatchObject({
      verdict: '',
      why: expect.stringContaining(
        `Proposed by an assistant (assistant: test-client): ${legalName}, ${entityId}. same town`,
      ),
    })
    place.write('filled.csv', `lookup,verdict\n${lookup},${entityId}\n`)
    expect((await place.run(['review', ...files, '--import', 'filled.csv', '--reviewer', 'ada'])).code).toBe(
      0,
    )
    expect(rowsOfCsv(place.read('enrich.decisions.csv'))).toMatchObject([
      { lookup, verdict: 'accepted', entity_id: entityId, decided_by: 'ada' },
    ])
    expect(await assistant.call('run', { files, output, max_lookups: 0 })).toMatchObject({
      summary: { decidedCount: 1 },
    })
    expect(await propose({ verdict: 'none' })).toMatchObject({ code: 'REVIEW_LOOKUP_UNKNOWN' })
  })

  test('no output replaces their file', async () => {
    const place = createEmbedded()
    const { code, stderr } = await place.run([...files, '-o', 'enrich.decisions.proposed.csv'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('error OUTPUT_IS_OURS')])
  })
})

describe('a run that may be billed', () => {
  test('starts after the user accepted file, lookups and cost', async () => {
    const { place, service, options } = await createHosted()
    const flags = allow('--max-lookups', '50', '--max-cost', '2')
    const assistant = await startAssistant(place, { ...options, flags, answer: () => 'accept' })
    const ran = await assistant.call('run', { files, output, max_lookups: 30, max_cost: 1 })
    expect(assistant.questions).toEqual([
      `Submit lookups of companies.csv to ${service.baseUrl}?\n` +
        'Plan: EUR 2.00 for 40 lookups; this run stops after 20 (EUR 1.00).\n' +
        'This run submits at most 30 lookups and costs at most EUR 1.00.\n' +
        'It writes out.csv.',
    ])
    expect(ran).toMatchObject({ stopped: { code: 'COST_MAX_REACHED' } })
    expect(service.runs).toHaveLength(20)
    expect(await assistant.call('status')).toMatchObject({ server: { left: { lookups: 30, cost: 1 } } })
    expect(await assistant.call('run', { files, output, max_lookups: 31 })).toMatchObject({
      code: 'RUN_BUDGET_EXCEEDED',
    })
    expect(await assistant.call('run', { files, output, max_cost: 1.01 })).toMatchObject({
      code: 'RUN_BUDGET_EXCEEDED',
    })
    expect(await assistant.call('run', { files, output, max_lookups: 30 })).toMatchObject({
      type: 'finished',
      summary: { billedCount: 20 },
    })
    expect(service.runs).toHaveLength(40)
  })

  test.each([
    ['the user declines', () => 'decline' as const],
    ['the user cancels', () => 'cancel' as const],
    ['the client cannot ask', undefined],
    ['the client fails', () => Promise.reject(new Error('no window'))],
  ])('is not started if %s', async (_, answer) => {
    const { place, service, options } = await createHosted()
    const assistant = await startAssistant(place, {
      ...options,
      flags: allow('--max-lookups', '40'),
      ...(answer === undefined ? {} : { answer }),
    })
    const refused = await assistant.call('run', { files, output, max_lookups: 40 })
    expect(refused).toMatchObject({ code: 'RUN_NOT_CONFIRMED' })
    expect(await assistant.call('status').catch(() => null)).not.toBeNull()
    expect(service.requests).toEqual([])
    // The reservation is returned.
    expect(await assistant.call('run', { files, output, max_lookups: 40 })).toMatchObject({
      code: 'RUN_NOT_CONFIRMED',
    })
  })

  test.each([
    ['the input', 'companies.csv', 'OUTPUT_IS_INPUT'],
    ['in a folder that is missing', 'missing/out.csv', 'OUTPUT_UNWRITABLE'],
    ['of an unknown format', 'out.docx', 'OUTPUT_FORMAT_UNKNOWN'],
    ['a decisions file', 'enrich.decisions.csv', 'OUTPUT_IS_OURS'],
  ])('is refused without a question if its output is %s', async (_, refused, code) => {
    const { place, service, options } = await createHosted()
    const flags = allow('--max-lookups', '40')
    const assistant = await startAssistant(place, { ...options, flags, answer: () => 'accept' })
    const found = await assistant.call('run', { files, output: refused, max_lookups: 40 })
    expect(found).toMatchObject({ code: expect.stringMatching(`^${code}`) })
    expect([assistant.questions, service.requests]).toEqual([[], []])
  })

  test('starts without a question with --yes, or without lookups', async () => {
    const { place, service, options } = await createHosted()
    const assistant = await startAssistant(place, {
      ...options,
      flags: allow('--max-lookups', '40', '--yes'),
    })
    expect(await assistant.call('run', { files, output, max_lookups: 40 })).toMatchObject({
      type: 'finished',
    })
    expect(service.runs).toHaveLength(40)
    await assistant.close()
    const other = await startAssistant(place, { ...options, flags: allow('--max-lookups', '40') })
    expect(await other.call('run', { files, output, max_lookups: 0 })).toMatchObject({ type: 'finished' })
    expect(service.runs).toHaveLength(40)
  })

  test('is described by a question to which no file name adds a line', async () => {
    const { place, options } = await createHosted()
    const flags = allow('--max-lookups', '40')
    const assistant = await startAssistant(place, { ...options, flags, answer: () => 'decline' })
    await assistant.call('run', { files, output: 'a\nThis run is free of charge.csv', max_lookups: 40 })
    const [question = ''] = assistant.questions
    expect(question.split('\n').at(-1)).toBe('It writes a\\nThis run is free of charge.csv.')
  })

  test('replaces a file that no run wrote only after a question', async () => {
    const place = createEmbedded()
    place.write(output, 'my work')
    const silent = await startAssistant(place, { flags: allow() })
    const run = { files, output, max_lookups: 500 }
    expect(await silent.call('run', run)).toMatchObject({ code: 'RUN_NOT_CONFIRMED' })
    expect(place.read(output)).toBe('my work')
    await silent.close()
    const asking = await startAssistant(place, { flags: allow(), answer: () => 'accept' })
    expect(await asking.call('run', run)).toMatchObject({ type: 'finished' })
    expect(await asking.call('run', run)).toMatchObject({ type: 'finished' })
    expect(asking.questions).toEqual([
      'Replace out.csv?\nIt writes out.csv, and replaces the file that is there.',
    ])
  })

  test('needs limits of the whole server when it starts', async () => {
    const { place, options } = await createHosted({}, { stages: { entity: {} } })
    const start = async (...flags: string[]) => {
      const { code, stderr } = await place.start(['mcp', '--root', '.', ...flags], options).ended
      return [code, /error (\w+)/.exec(stderr)?.[1]]
    }
    expect(await start('--allow-run')).toEqual([2, 'USAGE_INVALID'])
    expect(await start('--allow-run', '--max-lookups', '5')).toEqual([2, 'USAGE_INVALID'])
    expect(await start('--allow-run', '--max-cost', '5')).toEqual([2, 'BILLING_PRICE_MISSING'])
    expect(await start('--root', 'nowhere')).toEqual([2, 'USAGE_INVALID'])
    expect(await start('--checkpoint', 'postgres://me@db/x')).toEqual([2, 'PATH_IS_ADDRESS'])
    expect(await start()).toEqual([0, undefined])
  })
})

describe('an interrupted run', () => {
  test('that the client cancels stops, and the same call continues it', async () => {
    const { place, service, options } = await createHosted({ runTakes: { ms: 300 } })
    const assistant = await startAssistant(place, {
      ...options,
      flags: allow('--max-lookups', '80', '--yes'),
    })
    const cancelling = new AbortController()
    const run = { files, output, max_lookups: 40 }
    const cancelled = assistant.call('run', run, { signal: cancelling.signal })
    cancelled.catch(() => undefined)
    await untilBilled(service, 5)
    cancelling.abort('enough')
    await expect(cancelled).rejects.toThrow()
    const ran = await runWhenFree(() => assistant.call('run', run))
    expect(ran).toMatchObject({
      type: 'finished',
      summary: { answeredCount: expect.any(Number), pendingCount: 0 },
    })
    expect(service.runs.map(({ query }) => query.name).sort()).toEqual([...names].sort())
    expect(await assistant.call('status')).toMatchObject({ server: { left: { lookups: 40 } } })
  })

  test('whose client is gone stops like after Ctrl-C, and the same command finishes it', async () => {
    const { place, service, options } = await createHosted({ runTakes: { ms: 300 } })
    const flags = ['mcp', '--root', '.', ...allow('--max-lookups', '40', '--yes')]
    const running = place.start(flags, { ...options, stdin: null })
    await running.sees(/Serving/)
    const send = (message: object) =>
      running.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const clientInfo = { name: 'raw', version: '1' }
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    send({ method: 'notifications/initialized' })
    const run = { files, output, max_lookups: 40 }
    send({
      id: 2,
      method: 'tools/call',
      params: { name: 'run', arguments: run, _meta: { progressToken: 1 } },
    })
    await untilBilled(service, 5)
    // A client that is killed closes all of its ends at once.
    running.child.stdin?.destroy()
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    expect((await running.ended).code).toBe(0)
    expect(service.runs.length).toBeLessThan(names.length)
    const { code } = await place.run(
      ['run', 'companies.csv', '-o', 'out.csv', '--max-lookups', '40'],
      options,
    )
    expect(code).toBe(0)
    expect(service.runs.map(({ query }) => query.name).sort()).toEqual([...names].sort())
    expect(rowsOfCsv(place.read(output))).toHaveLength(names.length)
  })

  test('counts lookups that may have been billed', async () => {
    const { place, service, options } = await createHosted({
      faults: ({ number }) => (number === 1 ? 'accept_then_reset' : undefined),
    })
    const flags = allow('--max-lookups', '8', '--max-cost', '0.35', '--yes')
    const assistant = await startAssistant(place, { ...options, flags })
    await assistant.call('run', { files, output, max_lookups: 5 })
    expect(service.runs).toHaveLength(5)
    expect(await assistant.call('status')).toMatchObject({ server: { left: { lookups: 3, cost: 0.1 } } })
  })

  test('that is still active keeps its budget reserved, and one that submitted nothing gives it back', async () => {
    const { place, service, options } = await createHosted({
      faults: ({ method, path }) => (method === 'GET' && path.startsWith('/v3/runs') ? 'hang' : undefined),
    })
    const assistant = await startAssistant(place, {
      ...options,
      flags: allow('--max-lookups', '50', '--yes'),
    })
    const run = { files, output, max_lookups: 50 }
    expect(await assistant.call('run', { ...run, output: 'companies.csv/out.csv' })).toMatchObject({
      code: 'OUTPUT_UNWRITABLE',
    })
    const running = assistant.call('run', { ...run, max_lookups: 30 })
    running.catch(() => undefined)
    await untilBilled(service, 30)
    expect(await assistant.call('run', { ...run, max_lookups: 21 })).toMatchObject({
      code: 'RUN_BUDGET_EXCEEDED',
    })
    expect(await assistant.call('run', { ...run, max_lookups: 20 })).toMatchObject({
      code: 'CHECKPOINT_IN_USE',
    })
    expect(await assistant.call('status')).toMatchObject({ server: { left: { lookups: 20 } } })
  })
})

describe('an assistant', () => {
  test('reaches no file outside of its folder', async () => {
    const place = createEmbedded()
    const outside = join(place.folder, '..')
    place.write('../outside.csv', 'company\nApple\n')
    symlinkSync(outside, place.path('up'))
    symlinkSync('../outside.csv', place.path('link.csv'))
    symlinkSync('../new.csv', place.path('new.csv'))
    mkdirSync(place.path('.secret'))
    place.write('.secret/a.csv', 'company\nApple\n')
    const assistant = await startAssistant(place, { flags: allow() })
    for (const path of [
      '../outside.csv',
      join(outside, 'outside.csv'),
      'link.csv',
      'up/outside.csv',
      '.secret/a.csv',
    ])
      for (const [tool, args] of [
        ['inspect_file', { file: path }],
        ['plan', { files: [path] }],
        ['run', { files: [path], output, max_lookups: 1 }],
        ['doubtful_rows', { files: [path] }],
        ['decide', { files: [path], decisions: [{ lookup: '0'.repeat(32), verdict: 'none' }] }],
      ] as const)
        expect([path, await assistant.call(tool, args)]).toMatchObject([path, { code: 'PATH_OUTSIDE_ROOT' }])
    for (const path of '../new.csv new.csv up/new.csv - .secret/out.csv .enrich/checkpoint.sqlite'.split(' '))
      expect([path, await assistant.call('run', { files, output: path, max_lookups: 1 })]).toMatchObject([
        path,
        { code: 'PATH_OUTSIDE_ROOT' },
      ])
    for (const path of ['https://example.com/a.csv', 'postgres://me:pw@db/x#t', 's3://bucket/a.csv'])
      expect([path, await assistant.call('inspect_file', { file: path })]).toMatchObject([
        path,
        { code: 'PATH_IS_ADDRESS' },
      ])
    expect(await assistant.call('inspect_file', { file: '*.csv' })).toMatchObject({ code: 'INPUT_NOT_FOUND' })
    expect(existsSync(join(outside, 'new.csv'))).toBe(false)
    expect(assistant.seen()).not.toContain('me:pw')
  })

  test('cannot use a config that changed after the user started the server', async () => {
    const { place, service, options } = await createHosted()
    const assistant = await startAssistant(place, { ...options, flags: allow('--max-cost', '1', '--yes') })
    place.write('pipeline.config.json', JSON.stringify({ ...quickConfig, billing: { unitPrice: 0.0001 } }))
    for (const [tool, args] of [
      ['run', { files, output, max_cost: 1 }],
      ['plan', { files }],
      ['status', {}],
    ] as const)
      expect(await assistant.call(tool, args)).toMatchObject({ code: 'CONFIG_CHANGED' })
    expect(service.requests).toEqual([])
  })

  test('a config that names files outside of the folder is refused when the server starts', async () => {
    const place = createEmbedded()
    for (const config of [
      { output: { path: '../out.csv' } },
      { output: { path: 'out.csv', report: '/tmp/report.html' } },
      { metrics: { file: '../enrich.prom' } },
    ]) {
      place.write('pipeline.config.json', JSON.stringify(config))
      const { code, stderr } = await place.run(['mcp', '--root', '.'])
      expect([code, stderr]).toEqual([2, expect.stringContaining('error PATH_OUTSIDE_ROOT')])
    }
  })

  test('sees no secret of the environment, not even in a cell', async () => {
    const secrets = {
      ENRICH_WEBHOOK_SECRET: 'whsec_c2VjcmV0IG9mIGEgd2ViaG9vaw==',
      ENRICH_NOTIFY_URL: 'http://127.0.0.1:9/hook-3f9a1c',
      ENRICH_HTTPS_AUTHORIZATION: 'Bearer bearer-7d2e',
      PGPASSWORD: 'pg"password\\5521',
      AWS_SECRET_ACCESS_KEY: 'aws-secret-9f3b',
    }
    const values = [...Object.values(secrets), 'bearer-7d2e']
    const { place, options } = await createHosted()
    appendFileSync(
      place.path('companies.csv'),
      values.map((value) => `"${value.replaceAll('"', '""')}",Lyon\n`).join(''),
    )
    const flags = allow('--max-cost', '10', '--yes')
    const assistant = await startAssistant(place, { ...options, env: { ...options.env, ...secrets }, flags })
    await assistant.call('inspect_file', { file: 'companies.csv' })
    await assistant.call('plan', { files })
    await assistant.call('run', { files, output, max_lookups: 100 })
    const { rows } = (await assistant.call('doubtful_rows', { files, count: 50 })) as unknown as {
      rows: { lookup: string }[]
    }
    expect(rows.length).toBeGreaterThan(40)
    for (const { lookup } of rows.slice(-6))
      await assistant.call('decide', {
        files,
        decisions: [{ lookup, verdict: 'none', note: secrets.PGPASSWORD }],
      })
    await assistant.call('status')
    await assistant.call('diff')
    await assistant.call('search_registry', { name: secrets.PGPASSWORD })
    await assistant.call('inspect_file', { file: `../${secrets.PGPASSWORD}` })
    const answers = assistant.answers()
    for (const secret of [...values, canary]) {
      const escaped = JSON.stringify(secret).slice(1, -1)
      for (const form of [secret, escaped, JSON.stringify(escaped).slice(1, -1)])
        expect(answers).not.toContain(form)
    }
  })
})

const lookups = fc.integer({ min: 1, max: 12 })
const cost = lookups.map((count) => Number((count * billing.unitPrice).toFixed(2)))
/** A call of `run`: its budget, when it is cancelled, and whether the next call waits for its end. */
const runCall = fc.record({
  file: fc.nat(2),
  budget: fc.oneof(
    fc.record({ max_lookups: lookups }),
    fc.record({ max_cost: cost }),
    fc.record({ max_lookups: lookups, max_cost: cost }),
  ),
  cancelAfterMs: fc.option(fc.nat(400), { freq: 3 }),
  isAwaited: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
})
/** What becomes of a submission; most are accepted. */
const fault = fc.integer({ min: 0, max: 29 }).map((number) => {
  if (number === 0) return 'reset'
  if (number < 6) return 'accept_then_reset'
  if (number === 6) return { status: 500 }
  return number === 7 ? { status: 402 } : undefined
})

const noOverspending =
  'no sequence of runs with cancels, faults and concurrent calls is billed more than the limits; part'

test.each([1, 2])(`${noOverspending} %i of 2`, async () => {
  const property = fc.asyncProperty(
    fc.array(runCall, { minLength: 3, maxLength: 8 }),
    fc.array(fault, { minLength: 10, maxLength: 40 }),
    fc.integer({ min: 5, max: 25 }),
    fc.integer({ min: 5, max: 25 }),
    async (calls, faults, lookupsMax, lookupsOfCost) => {
      const ends: (() => unknown)[] = []
      const place = createPlace(((end: () => unknown) => ends.push(end)) as unknown as typeof onTestFinished)
      let submissionCount = 0
      const service = await startStrangeService({
        apiKey: canary,
        faults: ({ method }) => (method === 'POST' ? faults[submissionCount++ % faults.length] : undefined),
      })
      try {
        const limits = { ...quickConfig.limits, submitConcurrency: 4 }
        place.write('pipeline.config.json', JSON.stringify({ ...quickConfig, limits, billing }))
        for (const file of [0, 1, 2])
          place.write(`list-${file}.csv`, companiesCsv(names.map((name) => `${name} of list ${file}`)))
        const costMax = lookupsOfCost * billing.unitPrice
        const flags = allow('--yes', '--max-lookups', String(lookupsMax), '--max-cost', costMax.toFixed(2))
        const hook = ((end: () => unknown) => ends.push(end)) as unknown as typeof onTestFinished
        const assistant = await startAssistant(place, { env: at(service).env ?? {}, flags }, hook)
        const running: Promise<unknown>[] = []
        for (const { file, budget, cancelAfterMs, isAwaited } of calls) {
          const signal = cancelAfterMs === null ? {} : { signal: AbortSignal.timeout(cancelAfterMs) }
          const billedBefore = service.runs.length
          const args = { files: [`list-${file}.csv`], output: `out-${file}.csv`, ...budget }
          const call = assistant.call('run', args, signal).catch(() => null)
          running.push(call)
          if (!isAwaited) continue
          await call
          if (running.length > 1) continue
          const own = service.runs.length - billedBefore
          if ('max_lookups' in budget) expect(own).toBeLessThanOrEqual(budget.max_lookups)
          if ('max_cost' in budget)
            expect(own * billing.unitPrice).toBeLessThanOrEqual(budget.max_cost + 1e-9)
        }
        await Promise.all(running)
        await assistant.close()
        expect(service.runs.length).toBeLessThanOrEqual(Math.min(lookupsMax, lookupsOfCost))
      } finally {
        for (const end of ends.reverse()) await end()
        await service.close()
      }
    },
  )
  await fc.assert(property, { numRuns: 2, endOnFailure: true })
})
