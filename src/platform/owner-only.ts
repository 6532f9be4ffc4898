import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs'

const ownerOnlyMode = 0o600

/**
 * Makes the SQLite file if it is missing, and keeps it, and what SQLite has beside it, from everybody but its
 * owner; files that SQLite makes beside it later take this over. Where there are no such permissions
 * (Windows), nothing changes.
 */
export function keepToOwner(path: string): void {
  closeSync(openSync(path, 'a', ownerOnlyMode))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, ownerOnlyMode)
  }
}
