import { expect, type TestContext } from 'vitest'
import { errorCodes, type ErrorCode } from '../../src/index.js'
import { at, canary, companiesCsv, createPlace, type CliOptions, type CliPlace } from './cli.js'
import { startStrangeService } from './strange-service.js'

export interface BadCase {
  readonly title: string
  readonly code: ErrorCode
  /** What the sentence or the hint must say, to be of use. */
  readonly says: RegExp
  /** Makes what is bad; `in.csv` is a good input that is there already. */
  readonly prepare?: (place: CliPlace) => void | Promise<void>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export const bad = (
  title: string,
  code: ErrorCode,
  says: RegExp,
  more: Omit<BadCase, 'title' | 'code' | 'says'> = {},
): BadCase => ({ title, code, says, ...more })

/** Words of engines and libraries, and stack frames. */
export const foreignWords =
  /\b[A-Z]\w* Error:|SQLSTATE|SQLITE_[A-Z]|[Vv]iolates|\brelation\b|duplicate key|[Ii]nvalid input|null value|[Cc]ould not|[Mm]alformed|in JSON at|[Uu]nexpected (?:token|end)|header check|code lengths|\bat \S+:\d+|\bat \w+ \(/

/** The command that the cases make bad. */
export const run = ['in.csv', '-o', 'out.csv']

/** Runs the case, and holds what every refusal must keep. Returns what was said. */
export async function expectRefusal(
  bad: BadCase,
  context: TestContext,
  options: CliOptions = {},
  place: CliPlace = createPlace(context.onTestFinished),
): Promise<string> {
  const service = await startStrangeService({ apiKey: canary })
  context.onTestFinished(() => service.close())
  place.write('in.csv', companiesCsv(['Acme', 'Bolt']))
  await bad.prepare?.(place)
  const before = place.names()
  const env = { ...at(service).env, ...bad.env }
  const { code, stdout, stderr } = await place.run(bad.args ?? run, { ...options, env })
  const said = stderr.replace(/^\tCommand being timed[^]*$/m, '')
  expect(said.match(/^error [A-Z_]+: .+$/gm)).toEqual([expect.stringContaining(`error ${bad.code}: `)])
  expect(said).toMatch(/^ {2}hint: .+$/m)
  expect(said).toMatch(bad.says)
  expect(said).not.toMatch(/^\s+at /m)
  expect(said).not.toMatch(foreignWords)
  expect([code, errorCodes[bad.code], stdout]).toEqual([2, 2, ''])
  expect(service.requests).toEqual([])
  expect(place.names()).toEqual(before)
  expect(place.namesIn('.enrich').filter((name) => !name.startsWith('checkpoint.'))).toEqual([])
  expect(place.namesIn('../tmp')).toEqual([])
  return said
}

/** Writes a file before the run. */
export const write = (name: string, content: string | Buffer) => (place: CliPlace) => {
  place.write(name, content)
}
