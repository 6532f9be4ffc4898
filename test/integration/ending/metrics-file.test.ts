import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { assertMetricsReplaceable, writeMetricsFile } from '../../../src/pipeline/history/metrics-file.js'
import type { RunEnd } from '../../../src/pipeline/history/notify-message.js'
import { readPrometheus, type Sample } from '../../support/prometheus-text.js'
import { runEnd, summary } from './run-ends.js'
import { makeFolder } from '../../support/temporary-folder.js'

let folder = ''
let path = ''
beforeEach(() => {
  folder = makeFolder()
  path = join(folder, 'enrich.prom')
})

async function written(end: RunEnd): Promise<Sample[]> {
  expect(await writeMetricsFile(path, end)).toBeNull()
  return readPrometheus(readFileSync(path, 'utf8'))
}

const valueOf = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}) =>
  samples.find((sample) => sample.name === `enrich_run_${name}` && holds(sample.labels, labels))?.value
const holds = (labels: Record<string, string>, some: Record<string, string>) =>
  Object.entries(some).every(([name, value]) => labels[name] === value)

describe('the file for Prometheus', () => {
  test('holds what a team alerts on, read back by another reader', async () => {
    const samples = await written(runEnd())
    expect(
      Object.fromEntries(
        samples.map(({ name, labels: { series, ...labels }, value }) => {
          expect(series).toBe('nightly')
          return [[name, ...Object.values(labels)].join(' '), value]
        }),
      ),
    ).toEqual({
      enrich_run_last_end_timestamp_seconds: Date.UTC(2026, 10, 21, 2, 1, 30, 500) / 1_000,
      enrich_run_last_output_timestamp_seconds: Date.UTC(2026, 10, 21, 2, 1, 30, 500) / 1_000,
      enrich_run_exit_code: 6,
      enrich_run_duration_seconds: 90.5,
      'enrich_run_rows matched': 150,
      'enrich_run_rows no_match': 49,
      'enrich_run_rows failed': 1,
      enrich_run_lookups: 180,
      enrich_run_cached_lookups: 100,
      enrich_run_decided_lookups: 0,
      enrich_run_pending_lookups: 0,
      enrich_run_uncertain_lookups: 2,
      enrich_run_accepted_submissions: 80,
      enrich_run_polls: 190,
      enrich_run_rate_limited_requests: 3,
      'enrich_run_cost EUR': 4.1,
      'enrich_run_uncertain_cost EUR': 0.1,
      'enrich_run_changes lost_match': 3,
      'enrich_run_changes renamed': 1,
      enrich_run_alarms: 1,
    })
  })

  test('a run that ended by an error has no figures, and the file still says that it ran', async () => {
    const samples = await written(runEnd({ exitCode: 2, summary: null, changes: null, alarms: [] }))
    expect(samples.map(({ name }) => name.replace('enrich_run_', ''))).toEqual([
      'last_end_timestamp_seconds',
      'exit_code',
      'duration_seconds',
      'alarms',
    ])
  })

  test('the last success is known, however many runs failed since', async () => {
    const end = (hours: number, parts: Partial<RunEnd>) =>
      runEnd({ endedAtMs: Date.UTC(2026, 10, 21, hours), ...parts })
    const seconds = (hours: number) => Date.UTC(2026, 10, 21, hours) / 1_000
    await written(end(3, { exitCode: 0 }))
    await written(end(4, { exitCode: 3 }))
    const samples = await written(end(5, { exitCode: 8, summary: { ...summary, outputPaths: [] } }))
    expect(valueOf(samples, 'last_success_timestamp_seconds')).toBe(seconds(3))
    expect(valueOf(samples, 'last_output_timestamp_seconds')).toBe(seconds(4))
    expect(valueOf(samples, 'last_end_timestamp_seconds')).toBe(seconds(5))
    // Another job that was given the same file has no success of its own.
    const other = await written(end(6, { exitCode: 2, series: 'another', summary: null }))
    expect(valueOf(other, 'last_success_timestamp_seconds')).toBeUndefined()
  })

  test('hostile labels are spelled so that each line is one sample', async () => {
    const series = 'a"b\\c\nd{e="f"} 1'
    const status = 'odd\n"status"} 7\nenrich_run_exit_code 0'
    const end = runEnd({ series, exitCode: 0, summary: { ...summary, rowsByStatus: { [status]: 5 } } })
    await written(end)
    const samples = await written({ ...end, exitCode: 5 })
    expect(valueOf(samples, 'rows', { status, series })).toBe(5)
    expect(valueOf(samples, 'exit_code')).toBe(5)
    expect(valueOf(samples, 'last_success_timestamp_seconds', { series })).toBe(end.endedAtMs / 1_000)
  })

  test('others may read it, whatever this user’s umask says', async () => {
    const umask = process.umask(0o077)
    try {
      await written(runEnd())
    } finally {
      process.umask(umask)
    }
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  test('it is replaced whole: nothing else is left in the folder, and a link stays one', async () => {
    const real = join(folder, 'real')
    mkdirSync(real)
    symlinkSync(join(real, 'enrich.prom'), path)
    writeFileSync(join(real, 'enrich.prom'), '# HELP enrich_run_ and half a line')
    await written(runEnd())
    expect(readdirSync(folder).sort()).toEqual(['enrich.prom', 'real'])
    expect(readdirSync(real)).toEqual(['enrich.prom'])
  })

  test('what is no such file is left as it is, also where a run was refused for naming it', async () => {
    writeFileSync(path, 'company_name\nAcme\n')
    expect(await writeMetricsFile(path, runEnd())).toContain('is not a metrics file of a run')
    expect(readFileSync(path, 'utf8')).toBe('company_name\nAcme\n')
    expect(() => {
      assertMetricsReplaceable(path)
    }).toThrow(expect.objectContaining({ code: 'OUTPUT_UNWRITABLE' }))
    writeFileSync(path, '')
    await written(runEnd())
  })

  test('a file that cannot be written is reported, and nothing is left of it', async () => {
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    mkdirSync(path)
    expect(await writeMetricsFile(path, runEnd())).toMatch(
      /^The metrics file .*enrich\.prom was not written: /,
    )
    expect(readdirSync(folder)).toEqual(['enrich.prom'])
    expect(await writeMetricsFile(join(folder, 'gone', 'x.prom'), runEnd())).toMatch(/was not written/)
  })
})
