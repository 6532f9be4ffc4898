import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isAddress } from '../../connectors/connectors.js'
import { LineWriter, type LineFile } from '../../parquet/parquet-writer.js'
import { removeStaleTemporaries, buildTemporaryPath, resolveFinalPath } from '../../platform/files.js'
import { toWriteError } from './output-path.js'

/**
 * Rows of the first pass in a private folder, as lines of JSON that DuckDB reads later instead of the input. Throws the
 * errors of writing an output, such as DISK_FULL.
 */
export class RowSpool {
  readonly files: LineFile[] = []
  readonly #outputPath: string
  readonly #folder: string
  readonly #lines: LineWriter

  /** Creates the folder next to a file, or in `folderOfOthers`. Removes the leftovers of killed runs. */
  constructor(outputPath: string, folderOfOthers: string) {
    const isFile = outputPath !== '-' && !isAddress(outputPath)
    const target = isFile ? resolveFinalPath(outputPath) : join(folderOfOthers, 'output')
    this.#outputPath = outputPath
    removeStaleTemporaries(target)
    this.#folder = buildTemporaryPath(target, '.rows')
    this.#lines = new LineWriter(this.#folder, 'rows-', true)
    this.#runExplained(() => {
      mkdirSync(this.#folder, { mode: 0o700 })
    })
  }

  /** Adds rows, given by their JSON members. */
  async add(rows: readonly { readonly members: string }[]): Promise<void> {
    for (const { members } of rows) {
      this.#lines.add('{', members, '}')
      if (this.#lines.isFull) await this.#cut()
      else if (this.#lines.isFlushDue) await this.#lines.flush().catch(this.#throwExplained)
    }
  }

  /** Ends the last file. */
  async end(): Promise<void> {
    if (this.#lines.rowCount > 0) await this.#cut()
  }

  async remove(): Promise<void> {
    await this.#lines.close().catch(() => undefined)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #cut(): Promise<void> {
    this.files.push(await this.#lines.cut().catch(this.#throwExplained))
  }

  readonly #throwExplained = (error: unknown): never => {
    throw toWriteError(this.#outputPath, error)
  }

  #runExplained(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#throwExplained(error)
    }
  }
}
