import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { PostgresAddress } from '../../core/server-addresses.js'

type Environment = Readonly<Record<string, string | undefined>>

/** The server requires a password, and none was found. */
export class PasswordMissingError extends Error {
  override readonly name = 'PasswordMissingError'

  constructor(
    /** The password file that was ignored, with the reason. */
    readonly ignoredFile: {
      readonly path: string
      readonly reason: 'readable_by_others' | 'unreadable'
    } | null,
  ) {
    super('the server requires a password')
  }
}

/**
 * Returns PGPASSWORD, or the first matching line of PGPASSFILE (`~/.pgpass`): `host:port:database:user:password`, each
 * of the first four may be `*`. Ignores a file that others may read. Throws PasswordMissingError.
 */
export function findPassword(address: PostgresAddress, user: string, environment: Environment): string {
  const { PGPASSWORD: own, PGPASSFILE: named, HOME: home } = environment
  if (own) return own
  const path = named || join(home || homedir(), '.pgpass')
  const lines = readPrivate(path, Boolean(named))
  const asked = [
    address.host.startsWith('/') ? 'localhost' : address.host,
    String(address.port),
    address.database,
    user,
  ]
  for (const line of lines) {
    const fields = parseFields(line)
    const password = fields[4]
    if (password && asked.every((value, index) => fields[index] === '*' || fields[index] === value)) {
      return password
    }
  }
  throw new PasswordMissingError(null)
}

function readPrivate(path: string, isNamed: boolean): string[] {
  try {
    const found = statSync(path)
    // Windows has no such mode bits.
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new PasswordMissingError({ path, reason: 'readable_by_others' })
    }
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch (error) {
    if (error instanceof PasswordMissingError) throw error
    if (isNamed) throw new PasswordMissingError({ path, reason: 'unreadable' })
    return []
  }
}

/** `\:` and `\\` are escapes; the password is the rest of the line. */
function parseFields(line: string): string[] {
  if (line.startsWith('#')) return []
  const fields: string[] = []
  let field = ''
  for (const [, escaped, other = ''] of line.matchAll(/\\([:\\])|([^])/g)) {
    if (other === ':' && fields.length < 4) {
      fields.push(field)
      field = ''
    } else field += escaped ?? other
  }
  return [...fields, field]
}
