import { UserError } from '../../core/errors.js'

/**
 * Returns the path in an address like `sqlite:FILE`, without its table. The text is not decoded.
 * Throws ADDRESS_INVALID.
 */
export function parseDatabaseFile(database: string): string {
  const [scheme = '', rest = ''] = /^([^:]*):(.*)$/s.exec(database)?.slice(1) ?? []
  const path = rest.replace(/^\/\/(?=\/)/, '')
  if (path !== '' && !path.startsWith('//') && path !== ':memory:') return path
  throw new UserError('ADDRESS_INVALID', 'the address names no file', {
    hint: `write it like ${scheme}:folder/file.db#table or ${scheme}:/folder/file.db#table`,
  })
}

/** Longest wait for another process that uses a file. */
export const busyMsMax = 5_000
export const busyPauseMs = 100
