import type { Command } from 'commander'
import { columnLines, type ColumnReport } from '../../pipeline/rules/column-report.js'
import { formatDuration } from '../../core/duration.js'
import { planLookup, type LookupPlan, type PlanPolicy } from '../../pipeline/rules/lookup-state.js'
import { estimateEtaMs } from '../../pipeline/rules/progress.js'
import { inspectInput, type Inspection } from '../../app/inspect-input.js'
import type { CheckpointReader, KeyedLookup, LookupId } from '../../pipeline/checkpoint/checkpoint.js'
import { openSqlite, type Sqlite } from '../../platform/sqlite.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, configOf, type ConfigFlags } from '../config-flags.js'
import { commandLine, grouped, jsonLine, type CliIo } from '../terminal/io.js'
import { warnOfStanding } from '../terminal/report-error.js'
import { planWords } from '../terminal/reporter.js'

/** A run takes this long at a hosted service, typically (interface: "Limits"). */
const runMs = { min: 60_000, max: 300_000 }

export function fillPlanCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['output', 'config', 'input', 'checkpoint', 'service', 'asking'])
  command
    .option('--json', 'as one JSON line')
    .action(async (inputs: string[], flags: ConfigFlags & { json?: boolean }) => {
      const settings = resolveSettings(configOf(inputs, flags, io.environment), io.environment)
      const policy = {
        nowMs: Date.now(),
        maxAgeMs: settings.checkpoint.maxAgeMs,
        onLost: settings.onLost,
        knowsEarlierRuns: settings.service.baseUrl !== null,
      }
      const counter = new PlanCounter(policy)
      try {
        const onBatch = counter.onBatch.bind(counter)
        await inspectInput({ settings, stdin: io.stdin, signal: io.interrupt, onBatch }, (found) => {
          const plan = describePlan(found, counter.plan, settings)
          io.out(flags.json === true ? jsonLine('plan', plan) : planText(plan, io))
          warnOfStanding(found.problem, io)
          return Promise.resolve()
        })
      } finally {
        counter.close()
      }
    })
}

/** Counts each distinct lookup once, by what a run would do with it. */
class PlanCounter {
  readonly plan: Record<LookupPlan, number> = {
    submit: 0,
    poll: 0,
    answered: 0,
    invalid: 0,
    uncertain: 0,
    failed: 0,
  }
  readonly #seen = new DistinctKeys()

  constructor(private readonly policy: PlanPolicy) {}

  onBatch(lookups: readonly KeyedLookup[], ids: readonly LookupId[], reader: CheckpointReader | null): void {
    const known = reader?.known(ids) ?? []
    for (const index of this.#seen.add(lookups.map(({ key }) => key))) {
      const lookup = known[index] ?? null
      this.plan[lookup === null ? 'submit' : planLookup(lookup, this.policy)]++
    }
  }

  close(): void {
    this.#seen.close()
  }
}

/** Fewer than these need no database; more are kept on disk, so that memory stays flat. */
const keysInMemoryMax = 20_000

class DistinctKeys {
  readonly #inMemory = new Set<string>()
  #onDisk: { database: Sqlite; isNew: (key: Uint8Array) => boolean } | null = null

  /** Returns the indexes of the keys that were not there before. */
  add(keys: readonly Uint8Array[]): number[] {
    if (this.#onDisk === null && this.#inMemory.size + keys.length > keysInMemoryMax) this.#moveToDisk()
    const indexesOfNew = (isNew: (key: Uint8Array) => boolean) =>
      keys.flatMap((key, index) => (isNew(key) ? [index] : []))
    if (this.#onDisk === null) return indexesOfNew((key) => this.#isNewInMemory(key))
    const { database, isNew } = this.#onDisk
    return database.transaction(() => indexesOfNew(isNew))()
  }

  #isNewInMemory(key: Uint8Array): boolean {
    const sizeBefore = this.#inMemory.size
    return this.#inMemory.add(Buffer.from(key).toString('latin1')).size > sizeBefore
  }

  #moveToDisk(): void {
    const database = openSqlite('', { synchronous: 'NORMAL', journal: 'OFF' })
    database.exec('CREATE TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID')
    const insert = database.prepare<[Uint8Array]>('INSERT OR IGNORE INTO seen VALUES (?)')
    this.#onDisk = { database, isNew: (key) => insert.run(key).changes > 0 }
    database.transaction(() => {
      for (const text of this.#inMemory) insert.run(Buffer.from(text, 'latin1'))
    })()
    this.#inMemory.clear()
  }

  close(): void {
    this.#onDisk?.database.close()
  }
}

interface PlanReport {
  rowCount: number
  invalidRowCount: number
  lookupCount: number
  plan: Record<LookupPlan, number>
  /** Submissions to pay for, at most. */
  billedMax: number
  isHosted: boolean
  durationMs: { min: number; max: number }
  outputPath: string | null
  columns: ColumnReport
  notes: readonly string[]
}

function describePlan(found: Inspection, plan: Record<LookupPlan, number>, settings: Settings): PlanReport {
  const isHosted = settings.service.baseUrl !== null
  const billedMax = Math.min(plan.submit, settings.budget.lookupsMax ?? Infinity)
  const open = billedMax + plan.poll
  const limitMs =
    estimateEtaMs({
      toSubmit: billedMax,
      running: plan.poll,
      answeredSoFar: 0,
      elapsedMs: 0,
      ...settings.limits,
    }) ?? 0
  // The last run still has to finish after the last submission.
  const tail = isHosted && open > 0 ? runMs : { min: 0, max: 0 }
  return {
    rowCount: found.index.rowCount,
    invalidRowCount: found.index.invalidCount,
    lookupCount: Object.values(plan).reduce((sum, count) => sum + count, 0),
    plan,
    billedMax,
    isHosted,
    durationMs: { min: Math.max(limitMs, tail.min), max: limitMs + tail.max },
    outputPath: settings.output.path ?? null,
    columns: found.columns,
    notes: [
      ...found.input.notes(),
      ...(found.columnNote === null ? [] : [found.columnNote]),
      ...found.rowNotes,
    ],
  }
}

function planText(report: PlanReport, io: CliIo): string {
  const [asked = '', ...unused] = columnLines(report.columns)
  const width = grouped(report.rowCount).length
  const line = (count: number, text: string) => `  ${grouped(count).padStart(width)}  ${text}`
  const { min, max } = report.durationMs
  const time = max === min ? formatDuration(max) : `${formatDuration(min)} to ${formatDuration(max)}`
  return `${[
    `Plan (nothing is submitted): ${asked}`,
    ...unused.map((line) => `  ${line}`),
    line(report.rowCount, report.rowCount === 1 ? 'row' : 'rows'),
    ...(report.invalidRowCount === 0
      ? []
      : [line(report.invalidRowCount, 'of them without a usable company name: they ask for nothing')]),
    line(report.lookupCount, `distinct ${report.lookupCount === 1 ? 'lookup' : 'lookups'}, of which`),
    ...Object.entries(report.plan)
      .filter(([name, count]) => count > 0 || name === 'submit')
      .map(([name, count]) => line(count, `  ${planWords[name] ?? name}`)),
    ...report.notes.map((note) => `  note: ${note}`),
    `Cost: ${costText(report)}`,
    `Time: ${report.isHosted ? `about ${time}` : 'as fast as this machine allows'}`,
    `Next: ${runCommand(report, io)}`,
  ].join('\n')}\n`
}

function costText({ isHosted, billedMax }: PlanReport): string {
  if (!isHosted) return 'nothing: the embedded service is free'
  return billedMax === 0
    ? 'nothing: there is nothing to submit'
    : `${grouped(billedMax)} lookups, each billed once`
}

/** The run that was planned, with an output named where none is. */
function runCommand({ outputPath }: PlanReport, io: CliIo): string {
  const command = commandLine(io)
    .replace(/\benrich plan\b/, 'enrich')
    .replace(/ --json\b/, '')
  return outputPath === null ? `${command} -o out.parquet` : command
}
