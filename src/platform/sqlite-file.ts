import { closeSync, openSync, readSync, statSync } from 'node:fs'

const sqliteMark = 'SQLite format 3\0'

/** Whether a regular file begins as every SQLite database does; false where it cannot be read. */
export function isSqliteFile(path: string): boolean {
  try {
    // Opening a pipe would wait for its other end.
    if (!statSync(path).isFile()) return false
    const file = openSync(path, 'r')
    try {
      const start = Buffer.alloc(sqliteMark.length)
      readSync(file, start)
      return start.toString('latin1') === sqliteMark
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}
