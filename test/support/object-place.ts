import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import type { Connector, Environment, Source, Target } from '../../src/connectors/connector.js'
import {
  storeLimits,
  type StoreLimits,
  type StorePlatform,
} from '../../src/connectors/objects/http-client.js'
import { UserError } from '../../src/core/errors.js'
import { systemRandom } from '../../src/platform/clock.js'
import { hurriedClock } from './hurried-clock.js'

const factor = 100
/** A real minute. */
const minuteMs = 60_000 * factor

/** Delays pass faster; the time of day is real, because stores check it. Small parts; no short limit of silence. */
export function testPlatform(limits: Partial<StoreLimits> = {}, skewMs = 0): StorePlatform {
  const clock = hurriedClock(factor)
  return {
    clock: { ...clock, nowMs: () => Date.now() + skewMs },
    random: systemRandom,
    limits: {
      ...storeLimits,
      silenceMsMax: minuteMs,
      joiningMsMax: minuteMs,
      metadataMsMax: minuteMs,
      patienceMs: minuteMs,
      firstPatienceMs: minuteMs,
      cleanupPatienceMs: minuteMs,
      partBytesMin: 64 * 1024,
      ...limits,
    },
  }
}

/** A folder and the sources and targets of one connector, closed at the end of the test. */
export interface ObjectPlace {
  readonly folder: string
  readonly notices: string[]
  readonly signal: AbortController
  source(address: string): Source
  target(address: string): Target
  /** Returns the contents and labels. */
  fetch(address: string): Promise<{ label: string; name: string; content: Buffer }[]>
  publish(address: string, content: string | Buffer): Promise<void>
  write(name: string, content: string | Buffer): string
}

export function createObjectPlace(
  context: TestContext,
  connector: Connector,
  environment: Environment,
): ObjectPlace {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-objects-'))
  const notices: string[] = []
  const open: { close(): Promise<void> }[] = []
  context.onTestFinished(async () => {
    for (const one of open) await one.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const signal = new AbortController()
  const options = { environment, signal: signal.signal, notice: (text: string) => notices.push(text) }
  const keep = <One extends { close(): Promise<void> }>(one: One): One => {
    open.push(one)
    return one
  }
  const place: ObjectPlace = {
    folder,
    notices,
    signal,
    source: (address) => keep(connector.openSource(address, { ...options, query: null })),
    target: (address) =>
      keep(connector.openTarget(address, { ...options, mode: 'replace', keyColumn: null })),
    fetch: async (address) => {
      const files = await place.source(address).fetch(mkdtempSync(join(folder, 'fetched-')))
      return files.map(({ path, label }) => ({
        label,
        name: path.slice(path.lastIndexOf('/') + 1),
        content: readFileSync(path),
      }))
    },
    publish: (address, content) => place.target(address).publish(place.write('published', content)),
    write: (name, content) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    },
  }
  return place
}

/** Returns code, message and hint of the error of a failing action. */
export async function refused(action: Promise<unknown>): Promise<{ code: string; text: string }> {
  try {
    await action
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { code: error.code, text: `${error.message}; ${error.hint ?? ''}` }
  }
  throw new Error('it succeeded')
}
