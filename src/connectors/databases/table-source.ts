import { join } from 'node:path'
import type { Source, SourceOptions } from '../connector.js'

/** Copies the rows to `path`; temporary files may be in `folder`. Returns a notice for the user, or `null`. */
type CopyTable = (path: string, folder: string) => Promise<string | null>

export const createTableSource = (label: string, { notice }: SourceOptions, copy: CopyTable): Source => ({
  fetch: async (folder) => {
    const path = join(folder, 'table.parquet')
    const text = await copy(path, folder)
    if (text !== null) notice(text)
    return [{ path, label, format: 'parquet' }]
  },
  close: () => Promise.resolve(),
})
