import { join } from 'node:path'
import type { Source } from '../connector.js'

/** Reads the rows of a table or a query. */
interface TableReader {
  readonly label: string
  readonly notice: (text: string) => void
  readonly check: () => Promise<void>
  /** Copies the rows to `path`. Temporary files may be in `folder`. Returns a notice for the user, or `null`. */
  readonly copy: (path: string, folder: string) => Promise<string | null>
}

export const createTableSource = ({ label, notice, check, copy }: TableReader): Source => ({
  check,
  fetch: async (folder) => {
    const path = join(folder, 'table.parquet')
    const text = await copy(path, folder)
    if (text !== null) notice(text)
    return [{ path, label, format: 'parquet' }]
  },
  close: () => Promise.resolve(),
})
