import { UserError } from '../../core/errors.js'

/** What went wrong with a file, for its user; what is not about the file comes back as it is. */
export function fileError(error: unknown, path: string): unknown {
  if (error instanceof UserError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') {
    return new UserError('INPUT_NOT_FOUND', `there is no file ${path}`, { cause: error })
  }
  if (code === 'EISDIR') return new UserError('INPUT_IS_FOLDER', `${path} is a folder`, { cause: error })
  if (code.startsWith('Z_')) {
    return new UserError('INPUT_COMPRESSION_CORRUPT', `${path} is not sound gzip`, { cause: error })
  }
  if (code.startsWith('E')) {
    return new UserError('INPUT_UNREADABLE', `${path} cannot be read (${code})`, { cause: error })
  }
  return error
}
