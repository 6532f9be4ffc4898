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

/** Where a path leads, looked at once: on a network every look is a round trip. */
export interface Place {
  /** In letters of one case, which some file systems do not tell apart. */
  readonly path: string
  /** Of what stands there; null where nothing does. */
  readonly file: string | null
}

export function placeOf(path: string): Place {
  return { path: folded(finalPath(path)), file: fileAt(path) }
}

/**
 * Whether two lead to one file: by path, by a link of either kind, or in letters of another case. Files that differ in
 * case alone count as one everywhere.
 */
export const isSamePlace = (one: Place, other: Place): boolean =>
  one.path === other.path || (one.file !== null && one.file === other.file)

/** Whether it is a folder, or in it. */
export const isPlaceIn = ({ path }: Place, { path: folder }: Place): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

export const isSameFile = (one: string, other: string): boolean => isSamePlace(placeOf(one), placeOf(other))

const folded = (path: string): string => path.normalize('NFC').toLowerCase()

function fileAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return null
  }
}
