import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import type { Checkpoint } from '../../../src/pipeline/checkpoint/checkpoint.js'
import type { Intention, SubmissionBounds } from '../../../src/pipeline/checkpoint/records.js'
import type { CheckpointReader } from '../../../src/pipeline/checkpoint/lookup.js'
import type { LookupId } from '../../../src/core/lookup-identity.js'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import { verifyFile } from '../../../src/pipeline/checkpoint/sqlite/verify.js'
import type { LookupKind } from '../../../src/core/lookup-state.js'
import { readLedger } from '../../../src/pipeline/checkpoint/charges.js'
import { settleSharedCharges } from '../../../src/pipeline/checkpoint/postgres/settle-charges.js'
import { settleFileCharges } from '../../../src/pipeline/checkpoint/sqlite/settle-charges.js'
import { systemClock, systemRandom } from '../../../src/platform/clock.js'
import { findPostgres } from '../../support/postgres-server.js'
import { areFilesTested } from '../../support/skipped.js'
import { SharedPlace } from './shared-place.js'
import { checkpointFolder, everyRow, job, keyed, scope, startMs } from './support.js'

/** A checkpoint whose intentions are not refused: nobody else asks, and no budget is given. */
export interface TestCheckpoint extends Checkpoint {
  forKind(kind: LookupKind): TestCheckpoint
  intend(lookupId: LookupId, nowMs: number, bounds?: SubmissionBounds): Promise<Intention>
}

export interface SettleOptions {
  /** Default: the list does not say that it is complete. */
  readonly untilMs?: number
  readonly isDryRun?: boolean
}
type SettledReport = ReturnType<typeof settleFileCharges>

/** The request for the charges of a CSV, which is written into the folder. */
export async function toChargesRequest(
  folder: string,
  csv: string | Buffer,
  { untilMs, isDryRun }: SettleOptions,
) {
  const path = join(folder, 'ledger.csv')
  writeFileSync(path, csv)
  const { charges } = await readLedger(path)
  return {
    charges,
    scope,
    completeUntilMs: untilMs ?? null,
    isDryRun: isDryRun ?? false,
    nowMs: startMs,
    random: systemRandom,
  }
}

/** Submits, and learns no answer. Returns the custom ids. */
export async function lose(checkpoint: Checkpoint, ...names: string[]): Promise<string[]> {
  const customIds: string[] = []
  for (const lookupId of await checkpoint.store.register(keyed(...names))) {
    const intended = await checkpoint.intend(lookupId, startMs)
    if (typeof intended === 'string') throw new Error(intended)
    const { customId } = intended
    await checkpoint.apply({ event: 'lose', lookupId, customId, reason: 'reset' })
    customIds.push(customId)
  }
  return customIds
}

/** Checkpoints by name, of one kind of store; `open` is a new process, which is alone. */
export interface Place {
  /** `retried`: statuses that a retry submits again. */
  open(name: string, whose?: string, ofJob?: string, retried?: readonly string[]): Promise<TestCheckpoint>
  /** What is in it now. */
  read(name: string, whose?: string | null): Promise<CheckpointReader>
  /** Every row of lookups, submissions and answers: what a change must not have changed. */
  everyRow(name: string): Promise<unknown>
  /** Closes what is open, and throws where what is left does not agree with itself. */
  assertSound(name: string): Promise<void>
  /** Settles submissions by the text of a list of charges. */
  settle(name: string, csv: string | Buffer, options?: SettleOptions): Promise<SettledReport>
  /** Closes what is open. */
  close(): Promise<void>
  remove(): Promise<void>
}

function ownPlace(): Place {
  const at = checkpointFolder()
  return {
    open: (name, whose = scope, ofJob = job, retried = []) =>
      Promise.resolve(at.open(name, whose, ofJob, retried)),
    read: (name, whose = scope) => Promise.resolve(at.read(name, whose)),
    everyRow: (name) => Promise.resolve(everyRow(at.path(name))),
    assertSound: (name) => {
      at.close()
      expect(verifyFile(at.path(name))).toMatchObject({ damage: [], problem: null })
      return Promise.resolve()
    },
    settle: async (name, csv, options = {}) => {
      at.close()
      return settleFileCharges({
        path: at.path(name),
        ...(await toChargesRequest(at.path('.'), csv, options)),
      })
    },
    close: () => {
      at.close()
      return Promise.resolve()
    },
    remove: () => {
      at.remove()
      return Promise.resolve()
    },
  }
}

/** Each name is a database of one server. */
function sharedPlace(programs: string): Place {
  const place = new SharedPlace(programs)
  const folder = checkpointFolder()
  const opened = new Set<Checkpoint>()
  let readCount = 0
  const closeAll = async () => {
    for (const one of opened) await one.close()
    opened.clear()
    folder.close()
  }
  return {
    open: async (name, whose = scope, ofJob = job, retried = []) => {
      const { checkpoint } = await place.open(name, { scope: whose, job: ofJob, retried })
      opened.add(checkpoint)
      return checkpoint as TestCheckpoint
    },
    read: async (name, whose = scope) => {
      const path = folder.path(`read-${++readCount}`)
      await place.copyAll(name, path)
      const reader = openCheckpointReader(path, whose)
      if (reader === null) throw new Error('nothing was copied')
      return reader
    },
    everyRow: (name) => place.everyRow(name),
    assertSound: async (name) => {
      await closeAll()
      await place.assertSound(name)
    },
    settle: async (name, csv, options = {}) =>
      settleSharedCharges({
        path: await place.url(name),
        clock: systemClock,
        ...(await toChargesRequest(folder.path('.'), csv, options)),
      }),
    close: closeAll,
    remove: async () => {
      await closeAll()
      folder.remove()
      await place.remove()
    },
  }
}

const programs = findPostgres()

const places: [string, () => Place][] = [
  ...(areFilesTested ? [['a file', ownPlace] as [string, () => Place]] : []),
  ...(programs === null ? [] : [['PostgreSQL', () => sharedPlace(programs)] as [string, () => Place]]),
]

/** The promises of the interface, held by every store behind it. */
export function describeCheckpoints(what: string, hold: (at: Place) => void): void {
  describe.each(places)(`${what}: %s`, (_, make) => {
    const at = make()
    afterAll(() => at.remove())
    hold(at)
  })
}
