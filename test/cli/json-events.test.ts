import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { createPlace, type CliOptions, type CliPlace } from '../support/cli.js'
import { createHostedPlace } from '../support/hosted-place.js'
import { strangeMatch, type StrangeServiceOptions } from '../support/strange-service.js'
import { readJsonLines } from '../support/json-lines.js'

type Schema = { readonly [key: string]: unknown }

const published = JSON.parse(
  readFileSync(new URL('../../types/events.schema.json', import.meta.url), 'utf8'),
) as Schema

/** The same schema without keys that it does not name: each key of a line is described. */
const closeObjects = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closeObjects(inner)]))
  return closed['type'] === 'object' && closed['properties'] !== undefined
    ? { ...closed, additionalProperties: false }
    : closed
}
const closed = closeObjects(published) as Schema
const schema = z.fromJSONSchema(closed)

/** Lists what is wrong with a line, for each kind of line that the schema has. */
function listFaults(line: Schema): unknown[] {
  if (schema.safeParse(line).success) return []
  return (closed['anyOf'] as Schema[]).flatMap((kind) => {
    const found = z
      .fromJSONSchema({ $defs: closed['$defs'], ...kind } as z.core.JSONSchema.JSONSchema)
      .safeParse(line)
    const isOther = found.error?.issues.some(({ path }) => path[0] === 'type') === true
    return found.success || isOther ? [] : [line['type'], ...found.error.issues]
  })
}

/** Runs a command, and validates each of its lines. Returns the types of the lines, and the last line. */
async function expectValid(place: CliPlace, args: readonly string[], options: CliOptions = {}) {
  const { code, stdout } = await place.run([...args, '--json'], options)
  const lines = readJsonLines<Schema>(stdout)
  for (const line of lines) expect(listFaults(line)).toEqual([])
  return { code, types: lines.map(({ type }) => type), last: lines.at(-1) ?? {} }
}

const prepare = (names: readonly string[], options: StrangeServiceOptions = {}) =>
  createHostedPlace(names, {
    answers: { Acme: strangeMatch('Acme SE'), Broken: 'fails' },
    config: { billing: { unitPrice: 0.05, currency: 'EUR' } },
    ...options,
  })

const command = ['companies.csv', '-o', 'out.csv']

test('a line with a key that is not described, or of an unknown type, is not valid', () => {
  expect(schema.safeParse({ type: 'publishing', path: 'out.csv' }).success).toBe(true)
  expect(schema.safeParse({ type: 'publishing', path: 'out.csv', more: 1 }).success).toBe(false)
  expect(schema.safeParse({ type: 'publishing' }).success).toBe(false)
  expect(schema.safeParse({ type: 'writing', path: 'out.csv' }).success).toBe(false)
})

/** Lists the members without a text: of their own, of their type, or in that of the object around them. */
function listUndescribed(value: unknown, path: string, text: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => listUndescribed(one, path, text))
  if (typeof value !== 'object' || value === null) return []
  const { properties, description = text, ...rest } = value as Schema
  const around = String(description)
  const types = published['$defs'] as Readonly<Record<string, Schema>>
  const members = Object.entries((properties ?? {}) as Readonly<Record<string, Schema>>)
  const find = ({ $ref, description: own }: Schema) =>
    (own ?? types[String($ref).slice('#/$defs/'.length)]?.['description'] ?? '') as string
  // Members that are equal are a count for each key: the text of the object says of what.
  const isRecord =
    members.length > 1 && new Set(members.map(([, member]) => JSON.stringify(member))).size === 1
  const missing = members.flatMap(([key, member]) =>
    'const' in member || find(member) !== '' || around.includes(`\`${key}\``) || (isRecord && around !== '')
      ? []
      : [`${path}.${key}`],
  )
  return [
    ...missing,
    ...members.flatMap(([key, member]) => listUndescribed(member, `${path}.${key}`, find(member))),
    ...Object.values(rest).flatMap((inner) => listUndescribed(inner, path, around)),
  ]
}

test('every member of every line has a text', () => {
  const texts = Object.entries(published['$defs'] as Schema)
  expect(texts.flatMap(([name, type]) => listUndescribed(type, name, ''))).toEqual([])
  expect(listUndescribed(published['anyOf'], 'line', '')).toEqual([])
})

test('the lines of a run, of its repetition and of a retry are as the schema says', async () => {
  const { place, hosted } = await prepare(['Acme', 'Bolt', 'Broken', ''])
  const first = await expectValid(place, command, hosted)
  expect([first.code, first.types.at(-1)]).toEqual([3, 'finished'])
  expect(new Set(first.types)).toEqual(new Set(['columns', 'planned', 'progress', 'publishing', 'finished']))
  expect((await expectValid(place, command, hosted)).last).toMatchObject({ summary: { cachedCount: 2 } })
  expect((await expectValid(place, ['retry', ...command, '--status', 'failed'], hosted)).types).toContain(
    'finished',
  )
})

test('of a run with stages, own registers, changes, alarms and identifiers', async () => {
  const place = createPlace()
  place.write(
    'companies.csv',
    'company,city,lei\nApple,Cupertino,HWUPKR0MPOU8FGXBT394\nNobody,Hull,\nApple,London,\n',
  )
  const flags = ['--with', 'entity,hierarchy,domain', '--fail-on', 'matched<99%', '--report', 'report.html']
  const { code, last } = await expectValid(place, [...command, ...flags, '--changes', 'changes.csv'])
  expect([code, last['type']]).toEqual([6, 'finished'])
  expect(last).not.toHaveProperty('summary.changes')
  place.write('companies.csv', 'company,city,lei\nApple,Cupertino,HWUPKR0MPOU8FGXBT394\nNobody,Hull,\n')
  expect((await expectValid(place, [...command, '--fail-on', 'row_gone>0'])).last).toMatchObject({
    summary: { changes: { row_gone: 1 }, alarms: [{ condition: 'row_gone>0', names: ['Apple'] }] },
  })
  const { place: paid, hosted } = await prepare(['Apple', 'Acme', 'Bolt'])
  const first = ['--first', 'own.sqlite', '--check-sample', '100%']
  paid.write('register.csv', 'id,name,city\n1,Acme,Lyon\n')
  const imported = 'registry import csv register.csv --id-type registration_id --registry own.sqlite'.split(
    ' ',
  )
  expect((await paid.run(imported)).code).toBe(0)
  expect((await expectValid(paid, [...command, ...first], hosted)).last).toHaveProperty('summary.first')
})

test.each([
  ['--max-lookups', '1', 'LOOKUPS_MAX_REACHED', 8],
  ['--max-cost', '0.05', 'COST_MAX_REACHED', 8],
  ['--max-duration', '1s', 'DURATION_MAX_REACHED', 10],
])('of a run that %s %s stops, and of the one that resumes', async (flag, value, code, exitCode) => {
  const runTakes = flag === '--max-duration' ? { ms: 2_500 } : { polls: 1 }
  const { place, hosted } = await prepare(['Acme', 'Bolt', 'Crane'], { runTakes })
  const stopped = await expectValid(place, [...command, flag, value], hosted)
  expect([stopped.code, stopped.last['stopped']]).toEqual([exitCode, expect.objectContaining({ code })])
  const resumed = await expectValid(place, command, hosted)
  expect([resumed.code, resumed.last['stopped']]).toEqual([0, undefined])
})

test('of a run that the service stops, for want of credit or of a valid key', async () => {
  const refusals = [
    [402, 'insufficient_credit', 'CREDIT_EXHAUSTED'],
    [401, 'unauthorized', 'SERVICE_REFUSED'],
  ] as const
  for (const [status, type, code] of refusals) {
    const { place, hosted } = await prepare(['Acme', 'Bolt'], {
      faults: ({ method }) =>
        method === 'POST' ? { status, body: { error: { type, message: 'no' } } } : undefined,
    })
    expect((await expectValid(place, command, hosted)).last['stopped']).toMatchObject({ code })
  }
})

test('of errors before the first submission, also of a doubtful input', async () => {
  const { place, hosted } = await prepare(['Acme', 'Bolt,more,cells'])
  const cases: [readonly string[], string, number][] = [
    [['missing.csv', '-o', 'out.csv'], 'INPUT_NOT_FOUND', 2],
    [command, 'INPUT_DOUBTFUL', 7],
    [[...command, '--nope'], 'USAGE_INVALID', 2],
  ]
  for (const [args, code, exitCode] of cases) {
    const found = await expectValid(place, args, hosted)
    expect([found.code, found.last]).toEqual([
      exitCode,
      expect.objectContaining({ type: 'error', code, exitCode }),
    ])
  }
})

test('of a run that is interrupted', async () => {
  const { place, hosted } = await prepare(['Acme', 'Bolt'], { runTakes: { ms: 3_600_000 } })
  const running = place.start([...command, '--json'], hosted)
  let seen = ''
  running.child.stdout?.on('data', (chunk: Buffer) => {
    seen += chunk.toString()
    if (seen.includes('"type":"progress"')) running.child.kill('SIGTERM')
  })
  const { code, stdout } = await running.ended
  const lines = readJsonLines<Schema>(stdout)
  for (const line of lines) expect(listFaults(line)).toEqual([])
  expect([code, lines.at(-1)?.['stopped']]).toEqual([143, { code: 'INTERRUPTED' }])
})
