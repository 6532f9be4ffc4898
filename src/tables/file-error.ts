import { UserError } from '../core/errors.js'
import { tableLimits } from './limits.js'

/** Describes a defect of a compressed stream. The caller adds the file's name. */
export class CompressionError extends Error {}

/** Explains an error of a file to the user. Returns other errors unchanged. */
export function toFileError(error: unknown, label: string): unknown {
  if (error instanceof UserError) return error
  if (error instanceof CompressionError) return createCorruptFileError(label, error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') {
    return new UserError('INPUT_NOT_FOUND', `there is no file ${label}`, { cause: error })
  }
  if (code === 'EISDIR') return new UserError('INPUT_IS_FOLDER', `${label} is a folder`, { cause: error })
  if (code.startsWith('Z_')) return createCorruptFileError(label, error as Error)
  if (!code.startsWith('E')) return error
  return new UserError('INPUT_UNREADABLE', `${label} cannot be read: ${describeFileError(code)}`, {
    hint: code === 'EACCES' ? 'check the permissions of the file' : 'check the file and its disk',
    cause: error,
  })
}

const fileErrors: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'a part of its path is not a folder',
  EIO: 'the disk reports an error',
  EBUSY: 'another program uses it',
  ESTALE: 'the network drive has lost it',
  ENXIO: 'it is not a file',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
}

/** Describes an error code of the file system; DuckDB gives none. */
export const describeFileError = (code: string): string =>
  code === '' ? 'permission denied' : `${fileErrors[code] ?? 'the system refuses it'} (${code})`

function createCorruptFileError(label: string, cause: Error): UserError {
  return new UserError('INPUT_COMPRESSION_CORRUPT', `${label} cannot be decompressed: ${cause.message}`, {
    hint: 'the file is truncated or damaged: create or download it again',
    cause,
  })
}

export function createTooManyColumnsError(where: string): UserError {
  return new UserError('INPUT_COLUMNS_TOO_MANY', `more than ${tableLimits.columnsMax} columns in ${where}`, {
    hint: 'check the delimiter (--delimiter), and that the file is a table',
  })
}
