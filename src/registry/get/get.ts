import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openWebClient } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { removeStaleTemporaries } from '../../platform/files.js'
import { LockHeldError, takeLock } from '../../platform/file-locks.js'
import { importSource } from '../import/file-formats.js'
import { listMissingFiles, type MissingFile } from '../import/mapped-format.js'
import { explainFullDisk, importInto } from '../import/run-import.js'
import type { ImportResult } from '../import/session.js'
import { openSource, type RegisterSource, type SourcePlace } from '../sources/source.js'
import { assertRoom, downloadFile, findDate } from './download.js'
import { bytesPerRow, getDownloadFolder, LoadedEditions } from './editions.js'
import { isSameVersion, Publisher, type PublisherAccess, type RemoteFile } from './publisher.js'

/** Downloads above this size need the consent of the user. */
const freeDownloadBytes = 500_000_000

const millisecondsPerDay = 86_400_000

/** Registers to get: plain data. */
export interface GetOrder {
  readonly registryPath: string
  /** Names of sources, or paths of files that describe one. */
  readonly names: readonly string[]
  /** Codes of the countries whose companies are kept; `null` for all. */
  readonly countries: readonly string[] | null
  /** Addresses or paths of the files, instead of those of the only source; empty for its own. */
  readonly from: readonly string[]
  /** Takes the changes since the loaded edition, where the publisher has such files. */
  readonly isRefresh: boolean
}

export interface GetServices extends Pick<PublisherAccess, 'clock' | 'signal' | 'contact' | 'mirror'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Asks the user whether to download so much. */
  accepts(downloadBytes: number): Promise<boolean>
  onProgress(progress: GetProgress): void
  onDone(outcome: GetOutcome): void
  /** Receives notices about reading the files. */
  onNotice?(text: string): void
}

export interface GetProgress {
  readonly source: RegisterSource
  readonly step: 'download' | 'load'
  /** Bytes or rows so far, and in total; `null` if unknown. */
  readonly done: number
  readonly total: number | null
}

/** The end of getting a source. `result`: `null` if nothing changed at the publisher, or after an error. */
export interface GetOutcome {
  readonly source: RegisterSource
  readonly result: ImportResult | null
  readonly error: UserError | null
  /** Only changes were read, not the whole register. */
  readonly isDelta: boolean
  /** Why a refresh took the whole files of a source that publishes its changes; `null` otherwise. */
  readonly wholeBecause: string | null
  /** Files that the given ones lack; absent if the publisher's own files were read. */
  readonly missing?: readonly MissingFile[]
  /** Date of the edition that answers now, ISO 8601; `null` without one. */
  readonly edition: string | null
}

type Failed = GetOutcome & { readonly error: UserError }

interface Plan {
  readonly name: string
  readonly source: RegisterSource
  readonly publisher: Publisher
  readonly files: readonly RemoteFile[]
  /** Files on this machine. */
  readonly paths: readonly string[]
  readonly countries: readonly string[] | null
  /** Days that its changes cover; `null` for the whole register. */
  readonly days: number | null
  readonly wholeBecause: string | null
  readonly isUnchanged: boolean
  readonly byteCount: number
}

type Delta = NonNullable<RegisterSource['deltas']>[number]

/**
 * Downloads registers from their publishers and loads them into the registry at a path. Each source is one transaction:
 * until it is complete, its earlier edition answers. A source that fails leaves the others. Throws the error of the
 * first failed source after all; USAGE_INVALID without the consent to a large download; REGISTER_UNKNOWN.
 *
 *     await getRegisters({ registryPath: 'registry.sqlite', names: ['norway'], countries: null, from: [], isRefresh: false }, services)
 */
export async function getRegisters(order: GetOrder, services: GetServices): Promise<readonly GetOutcome[]> {
  try {
    return await getWithLock(order, services)
  } catch (error) {
    throw explainFullDisk(error, order.registryPath)
  }
}

async function getWithLock(order: GetOrder, services: GetServices): Promise<readonly GetOutcome[]> {
  const folder = getDownloadFolder(order.registryPath)
  mkdirSync(folder, { recursive: true })
  const lock = lockFolder(folder, services.clock)
  const web = await openWebClient(services.environment)
  try {
    const session = new GetSession(order, services, folder, { ...services, web })
    return await session.run()
  } finally {
    await web.close()
    lock.release()
  }
}

function lockFolder(folder: string, clock: Clock) {
  try {
    return takeLock(join(folder, 'lock'), clock.nowMs())
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error
    throw new UserError('REGISTERS_IN_USE', `another command gets registers (${error.holder})`, {
      hint: 'wait until it ends, then run the same command again',
      cause: error,
    })
  }
}

class GetSession {
  readonly #editions: LoadedEditions

  constructor(
    private readonly order: GetOrder,
    private readonly services: GetServices,
    private readonly folder: string,
    private readonly access: PublisherAccess,
  ) {
    this.#editions = new LoadedEditions(order.registryPath)
  }

  async run(): Promise<readonly GetOutcome[]> {
    const { names, registryPath } = this.order
    const sources = new Map<string, RegisterSource>()
    for (const name of names) sources.set(name, await openSource(name))
    removeStaleTemporaries(registryPath)
    const outcomes: GetOutcome[] = []
    const plans: Plan[] = []
    for (const [name, source] of sources) {
      const planned = await this.#attempt(source, () => this.#plan(name, source))
      if ('error' in planned) outcomes.push(planned)
      else plans.push(planned)
    }
    const byteCount = plans.reduce((sum, plan) => sum + plan.byteCount, 0)
    if (!(await this.#accepts({ byteCount }))) return outcomes
    for (const plan of plans) {
      const done = await this.#attempt(plan.source, () => this.#get(plan))
      outcomes.push(done)
      if (done.error === null) this.services.onDone(done)
    }
    for (const { error } of outcomes) if (error !== null) throw error
    return outcomes
  }

  /** A failed source is reported, and the others follow. */
  async #attempt<Result>(source: RegisterSource, action: () => Promise<Result>): Promise<Result | Failed> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof UserError) || error.code === 'DISK_FULL') throw error
      const failed = {
        source,
        result: null,
        error,
        isDelta: false,
        wholeBecause: null,
        edition: this.#editions.get(source)?.date ?? null,
      }
      this.services.onDone(failed)
      return failed
    }
  }

  /** Plans the changes since the loaded edition if there are any to take, otherwise the whole files. */
  async #plan(name: string, source: RegisterSource): Promise<Plan> {
    const { isRefresh } = this.order
    const loaded = this.#editions.get(source)
    if (!isRefresh || loaded === null || source.deltas === undefined) return this.#planFiles(name, source, {})
    const current = this.#editions.findCurrent(source, loaded.countries)
    if (current === null)
      return this.#planFiles(name, source, { wholeBecause: 'the loaded edition was read in another way' })
    const ageDays = (this.services.clock.nowMs() - Date.parse(current.date)) / millisecondsPerDay
    const delta = source.deltas.find(({ days }) => ageDays <= days)
    if (delta === undefined) {
      const wholeBecause = `the changes begin after the loaded edition of ${formatDay(current.date)}`
      return this.#planFiles(name, source, { wholeBecause })
    }
    try {
      return await this.#planFiles(name, source, { delta })
    } catch (error) {
      if (!isOfPublisher(error)) throw error
      return this.#planFiles(name, source, { wholeBecause: error.message })
    }
  }

  async #planFiles(
    name: string,
    source: RegisterSource,
    { delta = null, wholeBecause = null }: { delta?: Delta | null; wholeBecause?: string | null },
  ): Promise<Plan> {
    const { from, isRefresh } = this.order
    const isAddress = (one: string) => /^https?:\/\//i.test(one)
    const isLocal = (place: SourcePlace) => 'url' in place && !isAddress(place.url)
    const own = source.files.flatMap((place) =>
      'url' in place && isLocal(place) ? [resolve(dirname(name), place.url)] : [],
    )
    const given = from.length > 0 ? from : own
    const paths = given.filter((one) => !isAddress(one))
    const urls = given.filter(isAddress).map((url) => ({ url }))
    const publisher = new Publisher(source, this.access, name)
    const countries = isRefresh ? (this.#editions.get(source)?.countries ?? null) : this.order.countries
    const days = delta?.days ?? null
    const common = { name, source, publisher, paths, countries, days, wholeBecause, isUnchanged: false }
    if (paths.length > 0) return { ...common, files: [], byteCount: 0 }
    // A nightly refresh does not fail for files that you download yourself.
    if (isRefresh && source.files.length === 0)
      return { ...common, files: [], isUnchanged: true, byteCount: 0 }
    if (urls.length === 0 && source.files.length === 0) {
      throw new UserError('USAGE_INVALID', `the files of ${source.id} cannot be downloaded by a program`, {
        hint: `${source.byHand ?? 'download them by hand'} (${source.page}); then: enrich registry get ${name} --from PATH`,
      })
    }
    const files = await publisher.locate(urls.length > 0 ? urls : (delta?.files ?? source.files))
    const known = this.#editions.findCurrent(source, countries)?.files ?? []
    const isUnchanged =
      known.length === files.length &&
      files.every((file, index) => known[index] !== undefined && isSameVersion(known[index], file))
    const documented = (source.downloadMegabytes ?? 0) * 1_000_000
    const sizes = files.map(({ byteCount }) => byteCount)
    const announced = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    const byteCount = isUnchanged ? 0 : sizes.includes(null) && delta === null ? documented : announced
    return { ...common, files, isUnchanged, byteCount }
  }

  async #accepts({ byteCount }: { byteCount: number }): Promise<boolean> {
    return byteCount <= freeDownloadBytes || this.services.accepts(byteCount)
  }

  /** Gets a planned edition. If its changes cannot be used, gets the whole files. */
  async #get(plan: Plan): Promise<GetOutcome> {
    try {
      return await this.#getFiles(plan)
    } catch (error) {
      if (plan.days === null || !isOfPublisher(error)) throw error
      rmSync(join(this.folder, plan.source.id), { recursive: true, force: true })
      const whole = await this.#planFiles(plan.name, plan.source, { wholeBecause: error.message })
      if (await this.#accepts(whole)) return this.#getFiles(whole)
      throw error
    }
  }

  async #getFiles(plan: Plan): Promise<GetOutcome> {
    const { source, files, days, wholeBecause, isUnchanged, publisher } = plan
    const common = { source, error: null, isDelta: days !== null, wholeBecause }
    const edition = this.#editions.get(source)?.date ?? null
    if (isUnchanged) return { ...common, result: null, edition }
    const own = join(this.folder, source.id)
    const share = plan.byteCount / ((source.downloadMegabytes ?? 1) * 1_000_000)
    await assertRoom(own, plan.byteCount + Math.min(1, share) * source.rows * bytesPerRow, { source })
    const paths = [...plan.paths]
    let before = 0
    for (const [index, file] of files.entries()) {
      const place = join(own, String(index + 1).padStart(4, '0'))
      const onBytes = (done: number) => {
        this.services.onProgress({
          source,
          step: 'download',
          done: before + done,
          total: plan.byteCount || null,
        })
      }
      paths.push(await downloadFile(publisher, file, place, onBytes))
      before += file.byteCount ?? 0
    }
    const nowMs = this.services.clock.nowMs()
    const dateMs = await findDate(files[0]?.modified ?? null, paths[0] ?? '', nowMs)
    if (days !== null && edition !== null) assertFollows({ days, dateMs, edition })
    try {
      const result = await this.#load(plan, paths, dateMs)
      const given = plan.paths.length === 0 ? {} : { missing: await listMissingFiles(source, plan.paths) }
      const loaded = new Date(dateMs).toISOString()
      this.#editions.remember(source, { name: plan.name, files, countries: plan.countries, date: loaded })
      rmSync(own, { recursive: true, force: true })
      return { ...common, ...given, result, edition: loaded }
    } catch (error) {
      if (error instanceof UserError && error.code === 'INPUT_COMPRESSION_CORRUPT')
        rmSync(own, { recursive: true, force: true })
      throw this.#explain(error, plan)
    }
  }

  #load({ source, days, countries }: Plan, paths: readonly string[], dateMs: number): Promise<ImportResult> {
    const { registryPath } = this.order
    const [path = '', ...morePaths] = paths
    const onProgress = (done: number) => {
      this.services.onProgress({ source, step: 'load', done, total: null })
    }
    const { signal } = this.services
    const onNotice = (text: string) => this.services.onNotice?.(text)
    const common = { path, morePaths, dateMs, isDateFound: true, onProgress, signal, onNotice }
    const files = { ...common, countries, isDelta: days !== null }
    return importInto(registryPath, (registry) => importSource(registry, source, files))
  }

  #explain(error: unknown, { name, source, publisher }: Plan): unknown {
    if (!(error instanceof UserError) || !/^INPUT_|^REGISTRY_IMPORT_INVALID$/.test(error.code)) return error
    const known = this.#editions.get(source)
    const stays = known === null ? null : `the edition of ${formatDay(known.date)} stays`
    const correction =
      name === source.id
        ? `correct a copy of the source (enrich registry sources --show ${source.id}) and get it`
        : `correct ${name} and get it again`
    const hint = publisher.createHint(stays === null ? correction : `${stays}; ${correction}`)
    const message = error.message.replace(/^.*[/\\]/, '')
    return new UserError('REGISTER_CHANGED', `${source.publisher}: ${message}`, { hint, cause: error })
  }
}

const formatDay = (instant: string): string => instant.slice(0, 10)

/** Whether files of a publisher are the cause, and others may help. */
const isOfPublisher = (error: unknown): error is UserError =>
  error instanceof UserError && /^REGISTER_(?:MOVED|CHANGED|UNREACHABLE)$/.test(error.code)

/** Throws REGISTER_CHANGED unless changes follow on the loaded edition without a gap. `edition`: ISO 8601. */
function assertFollows({ days, dateMs, edition }: { days: number; dateMs: number; edition: string }): void {
  const fromMs = dateMs - days * millisecondsPerDay
  const loadedMs = Date.parse(edition)
  if (fromMs <= loadedMs && loadedMs <= dateMs) return
  const [from, to] = [fromMs, dateMs].map((ms) => formatDay(new Date(ms).toISOString()))
  const changes = `the changes of ${from} to ${to} do not follow on the loaded edition of ${formatDay(edition)}`
  throw new UserError('REGISTER_CHANGED', changes)
}
