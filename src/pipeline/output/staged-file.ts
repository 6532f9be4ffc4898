import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import { isAddress, isTableAddress, type Target } from '../../connectors/connectors.js'
import {
  buildTemporaryPath,
  copyAccess,
  makeFolder,
  publishFile,
  removeStaleTemporaries,
  resolveFinalPath,
} from '../../platform/files.js'
import { Packer } from '../../tables/writers.js'
import type { Appended, AppendMark, RemoteOutput } from './output-format.js'
import { assertRegular } from './output-path.js'

/**
 * A file that is written under a temporary name next to its target, and published as a whole or not at all. The
 * constructor and `publish` throw OUTPUT_UNWRITABLE if the target is not a regular file.
 */
export class StagedFile {
  readonly temporary: string
  private readonly target: string
  private handle: FileHandle | null = null

  /** `path` is shown to the user. Tables and objects are written to `localPath` first. */
  constructor(
    readonly path: string,
    readonly localPath = path,
  ) {
    this.target = resolveFinalPath(localPath)
    assertRegular(this.target)
    this.temporary = buildTemporaryPath(this.target)
    removeStaleTemporaries(this.target)
  }

  /** Writes bytes, or text as UTF-8. */
  async write(content: string | Uint8Array): Promise<void> {
    this.handle ??= await this.#open()
    await this.handle.writeFile(content, 'utf8')
  }

  /** The content of a private output is private from its first byte. */
  async #open(): Promise<FileHandle> {
    const handle = await open(this.temporary, 'wx', existsSync(this.target) ? 0o600 : 0o666)
    copyAccess(this.target, this.temporary)
    return handle
  }

  /** Ends the writing. The file keeps its temporary name. */
  async close(): Promise<void> {
    const { handle } = this
    this.handle = null
    await handle?.close()
  }

  /** Tests the access to the target with the written file. `inputPaths`: Parquet files with all rows. */
  readonly tryPublishing: (inputPaths?: readonly string[]) => Promise<void> = () => Promise.resolve()

  /** Moves the file to its target, durably. */
  publish(): Promise<void> {
    assertRegular(this.target)
    publishFile(this.temporary, this.target)
    return Promise.resolve()
  }

  /** Removes the temporary file if it was not published. */
  async discard(): Promise<void> {
    await this.close().catch(() => undefined)
    // A name that is too long does not exist. Node.js 24 removes it with an error that has no code.
    if (existsSync(this.temporary)) rmSync(this.temporary, { force: true, recursive: true })
  }
}

/** A file that is written in a local folder, and then published to a table or an object. */
class StagedCopy extends StagedFile {
  constructor(
    address: string,
    localPath: string,
    private readonly remote: Target,
    private readonly mark: AppendMark | null,
  ) {
    super(address, localPath)
  }

  override readonly tryPublishing = (inputPaths?: readonly string[]): Promise<void> =>
    this.remote.tryWriting(this.temporary, inputPaths)

  override publish(): Promise<void> {
    const { remote, temporary, mark } = this
    return mark === null ? remote.publish(temporary) : publishMarked(remote, temporary, mark)
  }

  override async discard(): Promise<void> {
    await super.discard()
    await this.remote.close()
  }
}

/** Stages a file, a table or an object. Throws OUTPUT_UNWRITABLE, and the errors of a target. */
export async function stage(path: string, remote: RemoteOutput | null): Promise<StagedFile> {
  if (!isAddress(path)) return new StagedFile(path)
  if (remote === null) throw new Error('no access to tables and objects')
  makeFolder(remote.folder)
  // Named after the address, so that the next run finds and removes the leftovers of a killed one.
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16)
  const extension = isTableAddress(path) ? '.parquet' : (/(\.\w+){1,2}$/.exec(path)?.[0] ?? '')
  const target = await openRemote(path, remote)
  return new StagedCopy(path, join(remote.folder, `output-${hash}${extension}`), target, remote.mark ?? null)
}

/** Destination for the pieces of an output. */
export interface OutputSink {
  /** Writes bytes, or text as UTF-8. */
  write(content: string | Uint8Array): Promise<void>
  end(): Promise<void>
}

/** Returns a sink for the file, with gzip if `isPacked`. */
export function createSink(file: StagedFile, isPacked: boolean): OutputSink {
  if (!isPacked) return { write: (content) => file.write(content), end: () => Promise.resolve() }
  return new Packer(createGzip(), (packed) => file.write(packed))
}

/** Adds the mark to an output that appends to a table; returns others unchanged. */
export function markAppended<Output extends { path: string; remote?: RemoteOutput | null }>(
  output: Output,
  series: string,
  mark: Omit<AppendMark, 'table'>,
): Output {
  const { path, remote = null } = output
  if (remote?.mode !== 'append' || !isTableAddress(path)) return output
  const hash = createHash('sha256')
    .update(JSON.stringify([series, path]))
    .digest('hex')
  return { ...output, remote: { ...remote, mark: { ...mark, table: `enrich_mark_${hash.slice(0, 16)}` } } }
}

/** Opens the target of a table or an object. */
function openRemote(
  path: string,
  { connectors, mode, keyColumn, removedColumns, mark = null }: RemoteOutput,
): Promise<Target> {
  return connectors.openTarget(path, {
    mode: isTableAddress(path) ? mode : 'replace',
    keyColumn,
    removedColumns,
    markTable: mark?.table ?? null,
  })
}

/** Publishes a file with its mark, unless a killed run appended the same rows: then only the mark is changed. */
async function publishMarked(target: Target, path: string, mark: AppendMark): Promise<void> {
  const { columns, owner } = mark
  // Loaded only if needed.
  const { computeParquetDigest } = await import('../../parquet/parquet-writer.js')
  const digest = columns === null ? '' : await computeParquetDigest(path, columns)
  const earlier = columns === null ? null : await readMark(target)
  const isAppended = earlier?.digest === digest && (await mark.standsFor(earlier))
  const text = `${owner.run}.${owner.startedAtMs}.${digest}`
  if (isAppended) await target.marks?.update(text)
  else await target.publish(path, text)
}

async function readMark({ marks }: Target): Promise<Appended | null> {
  const [, run, startedAtMs, digest = ''] = /^(\d+)\.(\d+)\.([-\d]*)$/.exec((await marks?.read()) ?? '') ?? []
  return run === undefined ? null : { run: Number(run), startedAtMs: Number(startedAtMs), digest }
}

type MarkedOutput = { readonly path: string; readonly remote?: RemoteOutput | null }

/** Returns the run whose rows were appended last, if its mark is still there. */
export async function findAppended({ path, remote = null }: MarkedOutput): Promise<Appended | null> {
  if (!remote?.mark) return null
  const target = await openRemote(path, remote)
  try {
    return await readMark(target)
  } finally {
    await target.close()
  }
}

/** Removes the mark of a run that has ended. */
export async function removeMark({ path, remote = null }: MarkedOutput): Promise<void> {
  if (!remote?.mark) return
  const { run, startedAtMs } = remote.mark.owner
  const target = await openRemote(path, remote)
  try {
    const found = await readMark(target)
    if (found?.run === run && found.startedAtMs === startedAtMs) await target.marks?.remove()
  } finally {
    await target.close()
  }
}
