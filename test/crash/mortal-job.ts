import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createServiceClient } from '../../src/client/client.js'
import { HeadFile, readHead } from '../../src/pipeline/checkpoint/sqlite/head-file.js'
import { openCheckpoint } from '../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { Checkpoint } from '../../src/pipeline/checkpoint/checkpoint.js'
import type { Decision } from '../../src/core/decisions.js'
import type { RunOrder, RunServices } from '../../src/pipeline/order.js'
import type { HistoryReader } from '../../src/pipeline/history/run-record.js'
import { openHistory } from '../../src/pipeline/history/read-history.js'
import { runPipeline } from '../../src/pipeline/run.js'
import type { Clock } from '../../src/platform/clock.js'
import { openSqlite, type Sqlite } from '../../src/platform/sqlite.js'
import { writeDecisions } from '../support/decisions.js'
import { watchFiles } from './file-steps.js'
import { Death, Life, mortal } from './mortality.js'
import { TrueService } from '../support/true-service.js'
import { buildOrder, buildServices } from '../support/run-order.js'

/** Where syncing costs nothing: these processes die in other ways than by power cuts. */
const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
/** Above any process id that Linux gives: who wrote what is left behind is gone. */
const goneProcessId = 2 ** 22 + 1

/** Six distinct lookups in eight rows, with every fate a lookup can have; one row asks for nothing. */
const rows = 'Acme,Paris Bolt,Lyon ,Nice Cargo,Lille Acme,Paris Dull,Metz Echo,Brest Flint,Nantes'.split(' ')
export const oldOutput = 'the output of yesterday\n'

export type OnLost = RunOrder['requests']['onLost']

/** One command over real files, run by as many processes as it takes; the service outlives them all. */
export class MortalJob {
  readonly service: TrueService = new TrueService({
    fates: { Bolt: 'fails', Cargo: 'limited_once', Dull: 'rejected', Flint: 'no_match' },
    donePoll: 2,
    legalNameOf: (name) => `${name} "Trading", Ltd`,
    runIdOf: (name) => `run_${name}_${this.service.timesBilled(name) + 1}`,
  })
  readonly folder: string
  readonly #base: string
  readonly #remains: string
  #unclosed: Checkpoint | null = null
  #hasDecisions = false

  /** A forgetful service ends with each process, as the embedded one does. */
  constructor(
    readonly outputName: string,
    readonly isForgetful = false,
    /** Where what changed is written, if anywhere. */
    readonly changesName: string | null = null,
  ) {
    this.#base = mkdtempSync(join(memoryFolder, 'enrich-crash-'))
    this.folder = join(this.#base, 'work')
    this.#remains = join(this.#base, 'remains')
    mkdirSync(this.folder)
    this.writeRows(rows)
    for (const name of [outputName, `${outputName}.basis.csv`]) writeFileSync(this.#path(name), oldOutput)
  }

  /** One process, from its start to its end or its death; the files are then as it left them. */
  async live(onLost: OnLost, dieAt: number | string = Infinity): Promise<Life> {
    const life = new Life(dieAt, () => {
      cpSync(this.folder, this.#remains, { recursive: true, preserveTimestamps: true })
    })
    const unwatch = watchFiles(this.folder, life)
    if (this.isForgetful) this.service.forget()
    try {
      await runPipeline(this.#order(onLost), this.#services(life))
    } catch (error) {
      if (!(error instanceof Death)) throw error
    } finally {
      unwatch()
      // A death ends the locks of its process, also those of a checkpoint that nobody was given yet.
      void this.#unclosed?.close()
      this.#unclosed = null
    }
    if (life.isDead) this.#bury()
    return life
  }

  /** The input of another night. */
  writeRows(lines: readonly string[]): void {
    writeFileSync(this.#path('companies.csv'), `company_name,city\n${lines.join('\n')}\n`)
  }

  /** What people decided, from now on. */
  decide(decisions: readonly Decision[]): void {
    writeDecisions(this.#path('decisions.csv'), decisions)
    this.#hasDecisions = true
  }

  changes(): string {
    return readFileSync(this.#path(this.changesName ?? ''), 'utf8')
  }

  output(): Buffer {
    return readFileSync(this.#path(this.outputName))
  }

  basis(): string {
    return readFileSync(this.#path(`${this.outputName}.basis.csv`), 'utf8')
  }

  names(): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' }).sort()
  }

  /** Names of the lookups in a state. */
  lookupsThatAre(...states: readonly string[]): string[] {
    return this.#reading([], (database) =>
      database
        .prepare<[string], string>('SELECT name FROM lookups WHERE state IN (SELECT value FROM json_each(?))')
        .pluck()
        .all(JSON.stringify(states)),
    )
  }

  /** How many runs wrote down that they came to their end. */
  endedCount(): number {
    return this.#reading(0, (database) =>
      Number(
        database.prepare('SELECT count(*) FROM history_runs WHERE ended_at_ms IS NOT NULL').pluck().get(),
      ),
    )
  }

  /** Reads a copy of the checkpoint: the next process finds the files untouched. */
  #reading<Result>(none: Result, read: (database: Sqlite) => Result): Result {
    if (!existsSync(this.#path('.enrich/checkpoint.sqlite'))) return none
    const copy = join(this.#base, 'copy')
    cpSync(this.#path('.enrich'), copy, { recursive: true })
    const database = openSqlite(join(copy, 'checkpoint.sqlite'), { synchronous: 'NORMAL' })
    try {
      return database.pragma('user_version', { simple: true }) === 0 ? none : read(database)
    } finally {
      database.close()
      rmSync(copy, { recursive: true })
    }
  }

  /** Of what it remembers; null where there is no checkpoint. Read from a copy, as above. */
  async remembered<Result>(read: (history: HistoryReader) => Promise<Result>): Promise<Result | null> {
    if (!existsSync(this.#path('.enrich/checkpoint.sqlite'))) return null
    const copy = join(this.#base, 'copy')
    cpSync(this.#path('.enrich'), copy, { recursive: true })
    const history = await openHistory(join(copy, 'checkpoint.sqlite'))
    try {
      return history === null ? null : await read(history)
    } finally {
      await history?.close()
      rmSync(copy, { recursive: true })
    }
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true })
  }

  /** The files as they were at the moment of death, under the same path; what it was writing bears its process id. */
  #bury(): void {
    // Into the same files: a death makes no copies.
    const left = new Set(readdirSync(this.#remains, { recursive: true, encoding: 'utf8' }))
    for (const name of this.names())
      if (!left.has(name)) rmSync(this.#path(name), { recursive: true, force: true })
    for (const name of left) {
      const [from, to] = [join(this.#remains, name), this.#path(name)]
      if (statSync(from).isDirectory()) mkdirSync(to, { recursive: true })
      else copyFileSync(from, to)
    }
    // A copied head file would say that another program wrote it.
    const head = readHead(join(this.#remains, '.enrich/checkpoint.sqlite'))
    if (head.kind === 'found') new HeadFile(this.#path('.enrich/checkpoint.sqlite'), head.head).close()
    rmSync(this.#remains, { recursive: true })
    for (const name of readdirSync(this.folder)) {
      renameSync(this.#path(name), this.#path(name.replaceAll(`.${process.pid}-`, `.${goneProcessId}-`)))
    }
  }

  #path(name: string): string {
    return join(this.folder, name)
  }

  #order(onLost: OnLost): RunOrder {
    const limits = {
      submissionsPerWindow: null,
      pollsPerWindow: null,
      windowMs: 60_000,
      inFlightRunsMax: 3,
      submitConcurrency: 2,
    }
    const polling = { firstAfterMs: 60_000, intervalMs: 10_000, deadlineMs: 86_400_000 }
    const files = {
      inputs: [this.#path('companies.csv')],
      output: this.#path(this.outputName),
      checkpoint: this.#path('.enrich/checkpoint.sqlite'),
      spoolFolder: this.#path('.enrich'),
    }
    const { target, store, ...order } = buildOrder(files, { limits, polling }, { requests: { onLost } })
    return {
      ...order,
      target: {
        ...target,
        changesPath: this.changesName === null ? null : this.#path(this.changesName),
      },
      store: {
        ...store,
        // The files as they were at a death are put back: after a night that was closed, that looks like a copy.
        acceptRollback: this.changesName !== null,
        ...(this.#hasDecisions ? { decisions: { path: this.#path('decisions.csv'), isNamed: true } } : {}),
      },
    }
  }

  #services(life: Life): RunServices {
    const clientOptions = {
      apiKey: 'key',
      baseUrl: 'https://service.test',
      userAgent: 'crash',
      connectionsMax: 1,
    }
    const createClient = () => createServiceClient(clientOptions, mortal(this.service, life))
    return {
      ...buildServices(clientOptions.baseUrl, createClient, this.isForgetful ? 'embedded' : 'hosted'),
      clock: skippingClock(),
      random: { fraction: () => 0.5, id: (prefix) => `${prefix}${basename(this.#base).toLowerCase()}` },
      wrapBackend: (backend) => ({
        ...backend,
        openCheckpoint: (options) =>
          life.aroundFileSync('openCheckpoint', () => {
            const checkpoint = openCheckpoint(options)
            this.#unclosed = checkpoint
            return new Checkpoint(mortal(checkpoint.store, life))
          }),
      }),
    }
  }
}

/** Time that is skipped whenever it is waited for. */
function skippingClock(): Clock {
  let nowMs = Date.UTC(2026, 0, 1)
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: (delayMs, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        if (signal?.aborted === true) {
          resolve()
          return
        }
        signal?.addEventListener('abort', wake)
        if (delayMs === Infinity) return
        setImmediate(() => {
          if (signal?.aborted !== true) nowMs += Math.ceil(Math.max(0, delayMs))
          wake()
        })
      }),
  }
}
