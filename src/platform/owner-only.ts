import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'

const ownerOnlyMode = 0o600

/**
 * Makes the SQLite file if it is missing, and keeps it, and what SQLite has beside it, from everybody but its
 * owner; files that SQLite makes beside it later take this over. Where there are no such permissions
 * (Windows), or the file is another's who let us write it, nothing changes.
 */
export function keepToOwner(path: string): void {
  // One that is there is not opened: closing it would end the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', ownerOnlyMode))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) restrict(file)
  }
}

function restrict(file: string): void {
  try {
    chmodSync(file, ownerOnlyMode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}
