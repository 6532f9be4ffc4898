import { closeSync, openSync, readFileSync } from 'node:fs'
import { errorCodes, UserError } from '../core/errors.js'
import { describeFileError } from './files.js'

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
function readLimit(name: string): number | null {
  const line = limits.split('\n').find((text) => text.startsWith(name))
  const value = Number(line?.slice(name.length).trim().split(/\s+/)[0])
  return Number.isFinite(value) ? value : null
}

/** Maximum size of a file (`ulimit -f`). */
export const getFileBytesMax = (): number | null => readLimit('Max file size')

/** Maximum number of open files (`ulimit -n`). */
const getOpenFilesMax = (): number | null => readLimit('Max open files')

/** SQLite reports a generic error if it can open no more files. */
const databaseFiles = 3

/** Throws EMFILE or ENFILE if this many more files or connections cannot be open at once. */
export function assertCanOpenFiles(needed = databaseFiles): void {
  const descriptors: number[] = []
  try {
    for (let count = 0; count < needed; count++) descriptors.push(openSync(process.execPath, 'r'))
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

/** Explains errors caused by a limit on open files or file size, or by a removed folder, at any depth; returns others unchanged. */
export function explainSystemFailure(error: unknown): unknown {
  const chain = listCauses(error)
  if (chain.some((cause) => isOutOfHandles(cause) || (isModuleMissing(cause) && hasFewHandles())))
    return keepExitCode(error, createTooManyFilesError(error))
  if (chain.some((cause) => isTooLarge(cause))) return keepExitCode(error, createFileTooLargeError(error))
  if (chain.some((cause) => (cause as NodeJS.ErrnoException).syscall === 'uv_cwd'))
    return keepExitCode(error, createFolderGoneError(error))
  return error
}

/** Explains also a path that the system refuses, where no more precise error was thrown. */
export function explainFailure(thrown: unknown): unknown {
  const error = explainSystemFailure(thrown)
  const { code = '', syscall = '', ...paths } = error as NodeJS.ErrnoException & { dest?: string }
  const path = syscall === 'chdir' ? paths.dest : paths.path
  const isRefused = /^(EACCES|EPERM|ENAMETOOLONG|ELOOP|EROFS|ENOTDIR)$/.test(code) && !/^spawn/.test(syscall)
  if (error instanceof UserError || !isRefused || path === undefined) return error
  const shown = path.length > pathCharsMax ? `${path.slice(0, pathCharsMax)}…` : path
  return new UserError('USAGE_INVALID', `${shown} cannot be used: ${describeFileError(code)}`, {
    hint: 'check the path and the permissions of its folder, or pass another path',
    cause: error,
  })
}

const pathCharsMax = 100

function listCauses(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let at = error; at instanceof Error && causes.length < 10; at = at.cause) causes.push(at)
  return causes
}

const getCode = (error: Error): string => (error as NodeJS.ErrnoException).code ?? ''

const isModuleMissing = (error: Error): boolean =>
  /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test(getCode(error))

function hasFewHandles(): boolean {
  const max = getOpenFilesMax()
  return max !== null && max < openFilesNeeded
}

/** SQLite does not report file size limits; with such a limit, it is the cause. */
function isTooLarge(error: Error): boolean {
  const code = getCode(error)
  if (code === 'EFBIG' || /file too large/i.test(error.message)) return true
  return /^SQLITE_(FULL|IOERR)/.test(code) && getFileBytesMax() !== null
}

function createTooManyFilesError(cause: unknown): UserError {
  const max = getOpenFilesMax()
  return new UserError(
    'FILES_TOO_MANY',
    `too many open files${max === null ? '' : `: the limit of this process is ${max}`}`,
    {
      hint: `run ulimit -n ${openFilesNeeded * 4}, then the same command again; about ${openFilesNeeded} are enough`,
      cause,
    },
  )
}

const createFolderGoneError = (cause: unknown): UserError =>
  new UserError('USAGE_INVALID', 'the current folder does not exist any more', {
    hint: 'change to a folder that exists (cd), and run the same command again',
    cause,
  })

export function createFileTooLargeError(cause?: unknown, needed = ''): UserError {
  const max = getFileBytesMax()
  const limit = max === null ? '' : `: the limit of this process is ${Math.floor(max / 1024)} KiB per file`
  return new UserError('FILE_TOO_LARGE', `a file would be too large${limit}${needed}`, {
    hint: 'run ulimit -f unlimited, then the same command again: all answers so far are kept',
    cause,
  })
}

/** Keeps the exit code: after submissions it is not 2. */
function keepExitCode(error: unknown, explained: UserError): UserError {
  const isAfter = error instanceof UserError && errorCodes[error.code] === 2 && error.exitCode !== 2
  return isAfter ? explained.markAfterSubmissions() : explained
}
