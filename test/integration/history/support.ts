import { createHash } from 'node:crypto'
import type { Marks, NewEntry } from '../../../src/pipeline/checkpoint/history-store.js'
import { noDigest } from '../../../src/pipeline/history/output-recorder.js'
import {
  runRecordVersion,
  type RunRecord,
  type PublishedEntry,
  type PublishedOutput,
} from '../../../src/pipeline/history/run-record.js'

export const series = 'companies.csv'
export const form = '1'

export function recordOf(change: Partial<RunRecord> = {}): RunRecord {
  return {
    version: runRecordVersion,
    program: '0.1.0',
    command: 'enrich companies.csv -o out.csv',
    service: 'hosted',
    scope: 'https://a.example',
    input: { paths: ['companies.csv'], format: 'csv', sha256: null },
    settings: {},
    summary: null,
    error: null,
    money: null,
    figures: null,
    timeline: [],
    changes: null,
    alarms: [],
    ...change,
  }
}

export const addressOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16)

export function entryOf(name: string, change: Partial<NewEntry> = {}): NewEntry {
  return {
    address: addressOf(name),
    rowKey: null,
    name,
    state: JSON.stringify({ status: 'matched', legal_name: name }),
    status: 'matched',
    confidence: 90,
    country: 'DE',
    ...change,
  }
}

export function marksOf(lookups: readonly number[], values: readonly number[]): Marks {
  return {
    lookups: Uint32Array.from(lookups),
    values: Uint32Array.from(values),
    marks: Buffer.concat(lookups.map((lookup) => addressOf(String(lookup)).subarray(0, 8))),
    rowsDigest: noDigest,
  }
}

export async function listEntries(
  output: PublishedOutput | null,
  numbers: Iterable<number> = output?.rows ?? [],
): Promise<(readonly [number, PublishedEntry])[]> {
  const found: (readonly [number, PublishedEntry])[] = []
  if (output !== null) for await (const entry of output.entries(numbers)) found.push(entry)
  return found
}
