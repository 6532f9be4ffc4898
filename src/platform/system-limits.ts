import { closeSync, openSync, readFileSync } from 'node:fs'
import { errorCodes, UserError } from '../core/errors.js'

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
const openFilesMax = (): number | null => limitOf('Max open files')

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

function isOutOfHandles(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'EMFILE' || code === 'ENFILE' || /too many open files/i.test(message)
}

/** With fewer, modules cannot all be loaded: Node then says that a package is missing. */
const openFilesNeeded = 512

/**
 * What a limit of the system did, said as that, however far below it happened: too few files that may be open, or a
 * size that no file may grow beyond. Any other error comes back as it is.
 */
export function explainSystemFailure(error: unknown): unknown {
  const chain = causesOf(error)
  if (chain.some((cause) => isOutOfHandles(cause) || (isModuleMissing(cause) && areHandlesFew())))
    return sameEnd(error, tooManyFiles(error))
  if (chain.some((cause) => isTooLarge(cause))) return sameEnd(error, fileTooLarge(error))
  return error
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let at = error; at instanceof Error && causes.length < 10; at = at.cause) causes.push(at)
  return causes
}

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? ''

const isModuleMissing = (error: Error): boolean =>
  /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test(codeOf(error))

function areHandlesFew(): boolean {
  const max = openFilesMax()
  return max !== null && max < openFilesNeeded
}

/** SQLite does not say that a file may not grow; where there is such a limit, it is why. */
function isTooLarge(error: Error): boolean {
  const code = codeOf(error)
  if (code === 'EFBIG' || /file too large/i.test(error.message)) return true
  return /^SQLITE_(FULL|IOERR)/.test(code) && fileBytesMax() !== null
}

function tooManyFiles(cause: unknown): UserError {
  const max = openFilesMax()
  return new UserError(
    'FILES_TOO_MANY',
    `no more files can be opened${max === null ? '' : `: this process may have ${max} open`}`,
    {
      hint: `ulimit -n ${openFilesNeeded * 4}, then the same command again; about ${openFilesNeeded} are enough`,
      cause,
    },
  )
}

export function fileTooLarge(cause?: unknown, needed = ''): UserError {
  const max = fileBytesMax()
  const limit = max === null ? '' : `: this process may write no file beyond ${Math.floor(max / 1024)} KiB`
  return new UserError('FILE_TOO_LARGE', `a file would be too large${limit}${needed}`, {
    hint: 'ulimit -f unlimited, then the same command again: what is answered is kept',
    cause,
  })
}

/** Ends the process with the same code: what comes after submissions is no 2. */
function sameEnd(error: unknown, explained: UserError): UserError {
  const isAfter = error instanceof UserError && errorCodes[error.code] === 2 && error.exitCode !== 2
  return isAfter ? explained.afterSubmissions() : explained
}
