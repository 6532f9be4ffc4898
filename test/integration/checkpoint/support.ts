import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LookupKind } from '../../../src/core/lookup-state.js'
import type { AnswerHead } from '../../../src/pipeline/checkpoint/records.js'
import type { CheckpointReader, LineVersions, KeyedLookup } from '../../../src/pipeline/checkpoint/lookup.js'
import { openCheckpointReader } from '../../../src/pipeline/checkpoint/sqlite/reader.js'
import {
  openCheckpoint,
  type OwnCheckpoint,
} from '../../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { systemRandom } from '../../../src/platform/clock.js'
import { loadDriver } from '../../../src/platform/sqlite.js'

const Database = loadDriver()

export const scope = 'https://a.example'
export const job = 'companies.csv'
export const startMs = Date.UTC(2026, 0, 1)

/** Lookups of one kind with these keys. */
export const toKeys = (kind: LookupKind, keys: readonly Uint8Array[]) => keys.map((key) => ({ kind, key }))

export const keyOf = (name: string): Uint8Array => createHash('sha256').update(name).digest().subarray(0, 16)

export function keyed(...names: string[]): KeyedLookup[] {
  return names.map((name) => ({
    kind: 'resolution',
    key: keyOf(name),
    lookup: { name, location: null, context: null },
  }))
}

/** Lines of one version, whatever their kind. */
export const linesOf = (version: number): LineVersions => ({
  resolution: version,
  domain: version,
  entity: version,
  hierarchy: version,
})

type RenderedAnswer = AnswerHead & { readonly line: string; readonly body: string }

export function answerTo(runId: string, change: Partial<RenderedAnswer> = {}): RenderedAnswer {
  return {
    runId,
    state: 'answered',
    outcome: 'matched',
    line: '{"outcome":"matched"}',
    lineVersion: 1,
    body: '{"status":"COMPLETED"}',
    answeredAtMs: startMs + 1_000,
    ...change,
  }
}

/** A folder of its own; `open` closes what it opened before, so that each opening is a new start. */
export function checkpointFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-checkpoint-'))
  const opened = new Set<{ close(): void }>()
  const path = (name = 'checkpoint.sqlite') => join(folder, name)
  const keep = <Closable extends { close(): void }>(one: Closable): Closable => {
    opened.add(one)
    return one
  }
  return {
    path,
    open: (name?: string, whose = scope, ofJob = job, retried: readonly string[] = []): OwnCheckpoint => {
      const deps = { path: path(name), scope: whose, job: ofJob, retried, nowMs: startMs }
      return keep(openCheckpoint({ ...deps, random: systemRandom }))
    },
    read: (name?: string, whose: string | null = scope): CheckpointReader => {
      const reader = openCheckpointReader(path(name), whose)
      if (reader === null) throw new Error('there is no checkpoint')
      return keep(reader)
    },
    close: () => {
      for (const one of opened) one.close()
      opened.clear()
    },
    remove: () => {
      for (const one of opened) one.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The id of a checkpoint. */
export function idOf(path: string): unknown {
  const database = new Database(path, { readonly: true })
  try {
    return database.prepare('SELECT id FROM checkpoint').pluck().get()
  } finally {
    database.close()
  }
}

/** Every row of every table of a checkpoint: what a change must not have changed. */
export function everyRow(path: string): unknown {
  const database = new Database(path, { readonly: true })
  try {
    return ['lookups', 'submissions', 'answers'].map((table) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
    )
  } finally {
    database.close()
  }
}
