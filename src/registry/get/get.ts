import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWebClient } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { removeStaleTemporaries } from '../../platform/files.js'
import { LockHeldError, takeLock } from '../../platform/file-locks.js'
import { readSources } from '../edition.js'
import { readSourceItems } from '../import/file-formats.js'
import { isAddedUp } from '../import/mapped-format.js'
import { importInto, runImport, type ImportResult } from '../import/run-import.js'
import { derivationVersion } from '../model/registry-rows.js'
import { openSource, type RegisterSource } from '../sources/source.js'
import { openStore } from '../store/open-store.js'
import { assertRoom, downloadFile, findDate } from './download.js'
import { isSameVersion, Publisher, toStoredFile, type PublisherAccess, type RemoteFile } from './publisher.js'

/** Disk space of a registration, with its indexes. */
export const bytesPerRow = 870
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
  /** Date of the edition that answers now, ISO 8601; `null` without one. */
  readonly edition: string | null
}

/** A loaded edition, as the folder of downloads remembers it. */
interface KnownEdition {
  readonly name: string
  readonly files: readonly RemoteFile[]
  readonly sha256: string
  readonly mapping: string
  readonly countries: readonly string[] | null
  readonly date: string
}
type Known = Readonly<Record<string, KnownEdition>>

type Failed = GetOutcome & { readonly error: UserError }

/** The files to download for one source. */
interface Plan {
  readonly name: string
  readonly source: RegisterSource
  readonly publisher: Publisher
  readonly files: readonly RemoteFile[]
  /** Files on this machine. */
  readonly paths: readonly string[]
  readonly countries: readonly string[] | null
  readonly isDelta: boolean
  readonly isUnchanged: boolean
  readonly byteCount: number
}

/**
 * Downloads registers from their publishers and loads them into the registry at a path. Each source is one transaction:
 * until it is complete, its earlier edition answers. A source that fails leaves the others. Throws the error of the
 * first failed source after all; USAGE_INVALID without the consent to a large download; REGISTER_UNKNOWN.
 *
 *     await getRegisters({ registryPath: 'registry.sqlite', names: ['norway'], countries: null, from: [], isRefresh: false }, services)
 */
export async function getRegisters(order: GetOrder, services: GetServices): Promise<readonly GetOutcome[]> {
  const folder = `${order.registryPath}-registers`
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

/** Names of the sources that `getRegisters` loaded into a registry. */
export function listLoaded(
  registryPath: string,
): { name: string; countries: readonly string[] | null; date: string }[] {
  const held = readHeld(registryPath)
  return Object.entries(readKnown(`${registryPath}-registers`))
    .filter(([id]) => held.has(id))
    .map(([, { name, countries, date }]) => ({ name, countries, date }))
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
  #known: Known

  constructor(
    private readonly order: GetOrder,
    private readonly services: GetServices,
    private readonly folder: string,
    private readonly access: PublisherAccess,
  ) {
    this.#known = readKnown(folder)
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
    if (byteCount > freeDownloadBytes && !(await this.services.accepts(byteCount))) return outcomes
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
        edition: this.#known[source.id]?.date ?? null,
      }
      this.services.onDone(failed)
      return failed
    }
  }

  async #plan(name: string, source: RegisterSource): Promise<Plan> {
    const { from, isRefresh } = this.order
    const paths = from.filter((one) => !/^https?:\/\//i.test(one))
    const urls = from.filter((one) => !paths.includes(one)).map((url) => ({ url }))
    const publisher = new Publisher(source, this.access)
    const countries = isRefresh ? (this.#known[source.id]?.countries ?? null) : this.order.countries
    const common = { name, source, publisher, paths, countries, isDelta: false, isUnchanged: false }
    if (paths.length > 0) return { ...common, files: [], byteCount: 0 }
    if (urls.length === 0 && source.files.length === 0) {
      throw new UserError('USAGE_INVALID', `the files of ${source.id} cannot be downloaded by a program`, {
        hint: `${source.byHand ?? 'download them by hand'} (${source.page}); then: enrich registry get ${source.id} --from PATH`,
      })
    }
    const known = this.#findCurrent(source, countries)
    const ageDays =
      known === null ? Infinity : (this.services.clock.nowMs() - Date.parse(known.date)) / millisecondsPerDay
    const delta = isRefresh ? source.deltas?.find(({ days }) => ageDays <= days) : undefined
    const files = await publisher.locate(urls.length > 0 ? urls : (delta?.files ?? source.files))
    const isUnchanged =
      known?.files.length === files.length &&
      files.every(
        (file, index) => known.files[index] !== undefined && isSameVersion(known.files[index], file),
      )
    const documented = source.downloadMegabytes * 1_000_000
    const sizes = files.map(({ byteCount }) => byteCount)
    const announced = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    const byteCount = isUnchanged ? 0 : sizes.includes(null) && delta === undefined ? documented : announced
    return { ...common, files, isDelta: delta !== undefined, isUnchanged, byteCount }
  }

  /** Returns the known edition of a source if the registry still has it, read in the same way. */
  #findCurrent(source: RegisterSource, countries: readonly string[] | null): KnownEdition | null {
    const known = this.#known[source.id]
    const isHeld =
      known !== undefined &&
      readHeld(this.order.registryPath).get(source.id) === known.sha256 &&
      known.mapping === digestMapping(source) &&
      JSON.stringify(known.countries) === JSON.stringify(countries)
    return isHeld ? known : null
  }

  async #get(plan: Plan): Promise<GetOutcome> {
    const { source, files, isDelta, isUnchanged, publisher } = plan
    const edition = this.#known[source.id]?.date ?? null
    if (isUnchanged) return { source, result: null, error: null, isDelta, edition }
    const own = join(this.folder, source.id)
    const share = plan.byteCount / (source.downloadMegabytes * 1_000_000)
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
    const dateMs = await findDate(files[0]?.modified ?? null, paths[0] ?? '')
    try {
      const result = await this.#load(plan, paths, dateMs)
      const loaded = new Date(dateMs).toISOString()
      this.#remember(plan, loaded)
      rmSync(own, { recursive: true, force: true })
      return { source, result, error: null, isDelta, edition: loaded }
    } catch (error) {
      if (error instanceof UserError && error.code === 'INPUT_COMPRESSION_CORRUPT')
        rmSync(own, { recursive: true, force: true })
      throw this.#explain(error, plan)
    }
  }

  #load(
    { source, isDelta, countries }: Plan,
    paths: readonly string[],
    dateMs: number,
  ): Promise<ImportResult> {
    const { registryPath } = this.order
    const [path = '', ...morePaths] = paths
    const { id, publisher, licence } = source
    const onProgress = (done: number) => {
      this.services.onProgress({ source, step: 'load', done, total: null })
    }
    return importInto(registryPath, (registry) =>
      runImport(
        registry,
        { path, morePaths, dateMs, onProgress, signal: this.services.signal },
        {
          source: {
            sourceName: id,
            format: source.tables[0]?.reader ?? (id === 'companies-house' ? id : 'register'),
            coverage: isDelta ? 'part' : 'whole',
            settings: { mapping: digestMapping(source), countries, credit: `${publisher}, ${licence.name}` },
          },
          addsUp: isAddedUp(source) && source.tables[0]?.reader === undefined,
          mustHold: !isDelta,
          items: () => readSourceItems(source, paths, countries),
        },
      ),
    )
  }

  #remember({ name, source, files, countries }: Plan, date: string): void {
    const sha256 = readHeld(this.order.registryPath).get(source.id)
    if (sha256 === undefined) return
    const edition = {
      name,
      files: files.map(toStoredFile),
      sha256,
      mapping: digestMapping(source),
      countries,
      date,
    }
    this.#known = { ...this.#known, [source.id]: edition }
    const path = join(this.folder, 'editions.json')
    writeFileSync(`${path}.new`, `${JSON.stringify(this.#known, null, 1)}\n`)
    renameSync(`${path}.new`, path)
  }

  #explain(error: unknown, { source, publisher }: Plan): unknown {
    if (!(error instanceof UserError) || !/^INPUT_|^REGISTRY_IMPORT_INVALID$/.test(error.code)) return error
    const known = this.#known[source.id]
    const stays = known === undefined ? null : `the edition of ${known.date.slice(0, 10)} stays`
    const hint = publisher.createHint(
      `${stays === null ? '' : `${stays}; `}correct a copy of the source (enrich registry sources --show ${source.id}) and get it`,
    )
    const message = error.message.replace(/^.*[/\\]/, '')
    return new UserError('REGISTER_CHANGED', `${source.publisher}: ${message}`, { hint, cause: error })
  }
}

/** Another reading of the same file gives other rows. */
const digestMapping = ({ tables, authority, jurisdiction }: RegisterSource): string =>
  createHash('sha256')
    .update(JSON.stringify([tables, authority, jurisdiction]))
    .digest('hex')
    .slice(0, 16)

function readKnown(folder: string): Known {
  try {
    return JSON.parse(readFileSync(join(folder, 'editions.json'), 'utf8')) as Known
  } catch {
    return {}
  }
}

/** SHA-256 of the newest file of each source in a registry. */
function readHeld(registryPath: string): ReadonlyMap<string, string> {
  if (!existsSync(registryPath)) return new Map()
  const database = openStore(registryPath, 'readonly')
  try {
    const current = readSources(database).filter(({ derivation }) => derivation === derivationVersion)
    return new Map(current.map(({ name, file_sha256 }) => [name, file_sha256]))
  } finally {
    database.close()
  }
}
