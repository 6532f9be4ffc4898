import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * A name beside `path` for what is being written. It bears the process id, so that what a killed process
 * left can be told from what a living one writes.
 */
export function temporaryPath(path: string, suffix = ''): string {
  return join(
    dirname(path),
    `.${basename(path)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp${suffix}`,
  )
}

/** Removes what killed processes left beside `path`; a living process's files stay. */
export function removeStaleTemporaries(path: string): void {
  const folder = dirname(path)
  const prefix = `.${basename(path)}.`
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue
    const match = /^(\d+)-[0-9a-f]{8}\.tmp/.exec(name.slice(prefix.length))
    if (match && !processLives(Number(match[1]))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Whether a process of this id runs on this machine (also one of another user). */
function processLives(processId: number): boolean {
  if (processId === process.pid) return true
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Readers see the old file or the whole new one, never half of it, also after a power cut. */
export function publishFile(temporary: string, path: string): void {
  syncPath(temporary)
  renameSync(temporary, path)
  syncPath(dirname(path))
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
