import { closeSync, openSync, readFileSync } from 'node:fs'
import { errorCodes, UserError } from '../core/errors.js'

/** Read early: without free file handles it would be too late. */
const limits = readLimits()

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}

/** Returns a resource limit of this process (`ulimit`); `null` if unlimited or unknown. */
function limitOf(name: string): number | null {
  const line = limits.split('\n').find((text) => text.startsWith(name))
  const value = Number(line?.slice(name.length).trim().split(/\s+/)[0])
  return Number.isFinite(value) ? value : null
}

/** Maximum size of a file (`ulimit -f`). */
export const fileBytesMax = (): number | null => limitOf('Max file size')

/** Maximum number of open files (`ulimit -n`). */
const openFilesMax = (): number | null => limitOf('Max open files')

/** Throws EMFILE or ENFILE if no more files can be opened, because SQLite reports only a generic error. */
export function assertCanOpenFiles(): void {
  const descriptors: number[] = []
  try {
    // A database needs three.
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

/** With fewer, modules fail to load, and Node.js reports a missing package. */
const openFilesNeeded = 512

/** Explains errors caused by a limit on open files or file size, at any depth; returns others unchanged. */
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

/** SQLite does not report file size limits; with such a limit, it is the cause. */
function isTooLarge(error: Error): boolean {
  const code = codeOf(error)
  if (code === 'EFBIG' || /file too large/i.test(error.message)) return true
  return /^SQLITE_(FULL|IOERR)/.test(code) && fileBytesMax() !== null
}

function tooManyFiles(cause: unknown): UserError {
  const max = openFilesMax()
  return new UserError(
    'FILES_TOO_MANY',
    `too many open files${max === null ? '' : `: the limit of this process is ${max}`}`,
    {
      hint: `run ulimit -n ${openFilesNeeded * 4}, then the same command again; about ${openFilesNeeded} are enough`,
      cause,
    },
  )
}

export function fileTooLarge(cause?: unknown, needed = ''): UserError {
  const max = fileBytesMax()
  const limit = max === null ? '' : `: the limit of this process is ${Math.floor(max / 1024)} KiB per file`
  return new UserError('FILE_TOO_LARGE', `a file would be too large${limit}${needed}`, {
    hint: 'run ulimit -f unlimited, then the same command again: all answers so far are kept',
    cause,
  })
}

/** Keeps the exit code: after submissions it is not 2. */
function sameEnd(error: unknown, explained: UserError): UserError {
  const isAfter = error instanceof UserError && errorCodes[error.code] === 2 && error.exitCode !== 2
  return isAfter ? explained.afterSubmissions() : explained
}
