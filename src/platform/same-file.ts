import { readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

const linksMax = 40

/** The path that opening `path` leads to, also where nothing stands there yet: links are followed, dangling ones too. */
export function finalPath(path: string): string {
  let at = resolve(path)
  for (let links = 0; links < linksMax; links++) {
    try {
      return realpathSync(at)
    } catch {
      try {
        at = resolve(dirname(at), readlinkSync(at))
      } catch {
        const folder = dirname(at)
        return folder === at ? at : join(finalPath(folder), basename(at))
      }
    }
  }
  return at
}

/**
 * Whether two paths lead to one file: by path, by a link of either kind, or in letters of another case, which some
 * file systems do not tell apart. Files that differ in case alone count as one everywhere.
 */
export function isSameFile(one: string, other: string): boolean {
  if (folded(finalPath(one)) === folded(finalPath(other))) return true
  const [first, second] = [statOf(one), statOf(other)]
  return first !== null && second !== null && first.ino === second.ino && first.dev === second.dev
}

/** Whether a path leads into a folder, or to it. */
export function isInFolder(path: string, folder: string): boolean {
  const [inner, outer] = [folded(finalPath(path)), folded(finalPath(folder))]
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}

const folded = (path: string): string => path.normalize('NFC').toLowerCase()

function statOf(path: string): { ino: bigint; dev: bigint } | null {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return null
  }
}
