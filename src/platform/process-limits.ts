import { closeSync, openSync, readFileSync } from 'node:fs'

/** Read while it can be: where no file can be opened any more, it is too late. */
const limits = readLimits()

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

/** What the system lets this process do (`ulimit`); null where there is no limit, or no way to see it. */
function limitOf(name: string): number | null {
  const line = limits.split('\n').find((text) => text.startsWith(name))
  const value = Number(line?.slice(name.length).trim().split(/\s+/)[0])
  return Number.isFinite(value) ? value : null
}

/** The size no file of this process may grow beyond (`ulimit -f`). */
export const fileBytesMax = (): number | null => limitOf('Max file size')

/** How many files this process may have open (`ulimit -n`). */
export const openFilesMax = (): number | null => limitOf('Max open files')

/** Throws EMFILE or ENFILE where no file can be opened any more: SQLite says only that it could not open one. */
export function assertCanOpenFiles(): void {
  const descriptors: number[] = []
  try {
    // A database takes three.
    for (let count = 0; count < 3; count++) descriptors.push(openSync(process.execPath, 'r'))
  } catch (error) {
    if (isOutOfHandles(error)) throw error
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

export function isOutOfHandles(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE' || /too many open files/i.test(message)
}
