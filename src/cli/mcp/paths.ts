import { isAbsolute, relative, resolve, sep } from 'node:path'
import { UserError } from '../../core/errors.js'
import { assertLocalPath } from '../../core/local-path.js'
import { resolveFinalPath } from '../../platform/files.js'

/**
 * Resolves a path of an assistant, with all links, to a path relative to `root`, which is the current folder and has no
 * links itself. Throws PATH_IS_ADDRESS, and PATH_OUTSIDE_ROOT for a path that leads out of the folder or is hidden.
 */
export function resolveBelow(root: string, path: string): string {
  assertLocalPath(path, 'file')
  if (path === '-') throw createOutsideError('standard input and output', 'they carry the protocol')
  if (path.includes('\0')) throw createOutsideError('a path with a NUL character', 'no file has such a name')
  const below = relative(root, resolveFinalPath(resolve(root, path)))
  const names = below.split(sep)
  if (names[0] === '..' || isAbsolute(below)) throw createOutsideError(path, 'it leads out of the folder')
  if (below === '') throw createOutsideError(path, 'it is the folder itself')
  if (names.some((name) => name.startsWith('.')))
    throw createOutsideError(path, 'files and folders whose names begin with a dot are hidden')
  // A file name must not be read as a flag or as an address.
  return /^-|^[a-z0-9+.-]+:/i.test(below) ? `.${sep}${below}` : below
}

const createOutsideError = (path: string, why: string): UserError =>
  new UserError('PATH_OUTSIDE_ROOT', `an assistant cannot use ${path}: ${why}`, {
    hint: 'name a file below the folder of --root; links must stay in it too',
  })
