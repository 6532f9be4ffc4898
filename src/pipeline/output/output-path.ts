import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { findDatabaseFile, isAddress, isSamePlace } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import { isOutOfMemory } from '../../parquet/duckdb.js'
import {
  buildTemporaryPath,
  describeFileError,
  listFilePlaces,
  resolveFinalPath,
} from '../../platform/files.js'
import { explainSystemFailure } from '../../platform/system-limits.js'
import type { SourceFile } from '../input/input.js'
import { getBasisPath, writerLimits, type OutputFormat } from './output-format.js'

/**
 * Finds, before anything is submitted, why publishing would fail: OUTPUT_UNWRITABLE (the folder is missing or read-only,
 * the path is a folder or a device), OUTPUT_IS_INPUT (a local output or its basis file is an input), DISK_FULL (less than
 * twice the input, four times for Parquet, and `rowCount` answers). `inputBytes`: the part of the inputs that is read.
 */
export function assertOutputUsable(
  inputFiles: readonly SourceFile[],
  path: string,
  format: OutputFormat,
  rowCount = 0,
  inputBytes = inputFiles.reduce((sum, file) => sum + file.bytes, 0),
): void {
  if (path === '-') return
  const inputRoomBytes = (format === 'parquet' ? 4 : 2) * inputBytes
  const roomBytes = writerLimits.freeBytesMin + inputRoomBytes + rowCount * writerLimits.answerBytesEstimate
  if (isAddress(path)) {
    const file = findDatabaseFile(path)
    const folder = file === null ? null : dirname(resolveFinalPath(file))
    if (folder !== null && existsSync(folder)) assertRoom(folder, roomBytes)
    return
  }
  for (const written of format === 'csv' ? [path, getBasisPath(path)] : [path])
    assertReplaceable(written, inputFiles)
  const folder = dirname(resolveFinalPath(path))
  assertFolderWritable(folder, path)
  assertRoom(folder, roomBytes)
}

/**
 * Checks an additional output file. Throws OUTPUT_UNWRITABLE, OUTPUT_IS_INPUT, or OUTPUT_IS_OURS if the run also writes
 * it as one of `others`.
 */
export function assertExtraOutputUsable(
  inputFiles: readonly SourceFile[],
  path: string,
  others: readonly string[],
): void {
  if (isAddress(path)) throw createUnwritableError(path, 'it is an address', 'name a local file')
  assertReplaceable(path, inputFiles)
  const isSame = (other: string) => other !== '-' && resolveFinalPath(other) === resolveFinalPath(path)
  if (others.some(isSame)) throw createTwiceError(path)
  assertFolderWritable(dirname(resolveFinalPath(path)), path)
}

/** Returns the error for two outputs of one run in the same place. */
export const createTwiceError = (paths: string): UserError =>
  new UserError('OUTPUT_IS_OURS', `two outputs of one run would be written to ${paths}`, {
    hint: 'name another file or table for one of them',
  })

/** Returns the error for an output that would overwrite an input. */
export const createIsInputError = (path: string, { label }: SourceFile): UserError =>
  new UserError('OUTPUT_IS_INPUT', `the output ${path} is the input ${label}`, {
    hint: 'name another output: the input is never overwritten',
  })

/** Names of open files: replacing one would cut off the process that opened it. */
const descriptorPath = /^\/(dev\/(stdin|stdout|stderr|fd\/)|proc\/[^/]+\/fd\/)/

function assertReplaceable(path: string, inputFiles: readonly SourceFile[]): void {
  if (descriptorPath.test(resolve(path)))
    throw createUnwritableError(path, 'it is an open file of a process', 'pass - for standard output')
  const places = listFilePlaces(path)
  const input = inputFiles.find((file) => isSamePlace(file.places, places))
  if (input !== undefined) throw createIsInputError(path, input)
  if (findStat(path) === null) return
  assertRegular(path)
  try {
    accessSync(path, constants.W_OK)
  } catch (cause) {
    throw createUnwritableError(
      path,
      'it exists and is not writable',
      'change its permissions, or name another output',
      cause,
    )
  }
}

/** Throws OUTPUT_UNWRITABLE for a folder, device, pipe or socket: they must not be replaced. */
export function assertRegular(path: string): void {
  const stat = findStat(path)
  if (stat === null || stat.isFile()) return
  if (stat.isDirectory()) {
    throw createUnwritableError(
      path,
      'it is a folder',
      `name a file in it, for example ${join(path, 'out.parquet')}`,
    )
  }
  throw createUnwritableError(path, 'it is not a regular file', 'pass - for standard output')
}

function findStat(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/** Checks by writing a file: permissions do not show read-only disks, quotas and superusers. */
function assertFolderWritable(folder: string, path: string): void {
  const probe = buildTemporaryPath(join(folder, basename(path)), '.probe')
  try {
    closeSync(openSync(probe, 'wx'))
    rmSync(probe, { force: true })
  } catch (cause) {
    throw toWriteError(path, cause)
  }
}

function assertRoom(folder: string, neededBytes: number): void {
  const disk = statfsSync(folder)
  const freeBytes = disk.bavail * disk.bsize
  if (freeBytes >= neededBytes) return
  const formatMebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`
  throw new UserError(
    'DISK_FULL',
    `${folder} has ${formatMebibytes(freeBytes)} free; about ${formatMebibytes(neededBytes)} are needed`,
    { hint: 'free some space, or name an output on another disk' },
  )
}

function createUnwritableError(path: string, reason: string, hint: string, cause?: unknown): UserError {
  return new UserError('OUTPUT_UNWRITABLE', `${path} cannot be written: ${reason}`, { hint, cause })
}

/** Explains a failed write, including those that DuckDB reports as text. Returns unknown errors unchanged. */
export function toWriteError(path: string, cause: unknown): unknown {
  if (cause instanceof UserError || !(cause instanceof Error)) return cause
  const explained = explainSystemFailure(cause)
  if (explained !== cause) return explained
  if (isOutOfMemory(cause)) {
    return new UserError('MEMORY_SHORT', `writing ${path} exceeds the memory limit`, {
      hint: 'pass a higher --memory, write CSV or NDJSON, or remove columns from the input',
      cause,
    })
  }
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  if (
    /^(ENOSPC|EDQUOT)$/.test(code) ||
    /No space left|Disk quota|failed to offload|max_temp_directory/i.test(cause.message)
  ) {
    return new UserError('DISK_FULL', `the disk is full: ${path} was not written`, {
      hint: 'free some space and run the same command again; existing answers are reused',
      cause,
    })
  }
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return createUnwritableError(
      path,
      'its folder does not exist',
      `create it: mkdir -p ${dirname(existsSync(dirname(path)) ? resolveFinalPath(path) : path)}`,
      cause,
    )
  }
  if (
    /^(EACCES|EPERM|EROFS|ENAMETOOLONG|EISDIR)$/.test(code) ||
    /Permission denied|Read-only file/i.test(cause.message)
  ) {
    return createUnwritableError(path, describeFileError(code), 'check the permissions of its folder', cause)
  }
  if (code === 'EPIPE')
    return createUnwritableError(
      path,
      'the reader of standard output closed it',
      'let it read the whole output',
      cause,
    )
  return cause
}
