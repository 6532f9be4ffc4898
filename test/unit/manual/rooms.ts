import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))
const paths = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))

/** Every import of one of our own files, types and `import()` included. */
const imports = paths.flatMap((from) =>
  [...readFileSync(join(src, from), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)\.js'/g)].map(
    ([, specifier = '']) => ({ from, to: `${normalize(join(dirname(from), specifier))}.ts` }),
  ),
)

/**
 * A flowchart (Mermaid) of the rooms in a folder of `src`: files, and doors, which are the files that others import. An
 * arrow goes to each room that is imported and that no other arrow leads to.
 */
export function drawRooms(folder = ''): string {
  const roomOf = (path: string) => {
    const [room = '', file] = path.startsWith(folder) ? path.slice(folder.length).split('/') : []
    return file === undefined ? '' : room
  }
  const rooms = [...new Set(paths.map(roomOf))].filter((room) => room !== '').sort()
  const targets = new Map(rooms.map((room) => [room, new Set<string>()]))
  const doors = new Map(rooms.map((room) => [room, new Set<string>()]))
  for (const { from, to } of imports) {
    const [source, target] = [roomOf(from), roomOf(to)]
    if (source === target) continue
    doors.get(target)?.add(to)
    if (target !== '') targets.get(source)?.add(target)
  }
  const reachedFrom = (room: string, without: string): Set<string> => {
    const reached = new Set<string>()
    const open = [...(targets.get(room) ?? [])].filter((next) => next !== without)
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached.has(at)) continue
      reached.add(at)
      open.push(...(targets.get(at) ?? []))
    }
    return reached
  }
  const lines = rooms.map((room) => {
    const fileCount = paths.filter((path) => roomOf(path) === room).length
    const doorCount = doors.get(room)?.size ?? 0
    const direct = [...(targets.get(room) ?? [])].filter((target) => !reachedFrom(room, target).has(target))
    const of = doorCount === 0 ? '' : `${doorCount} ${doorCount === 1 ? 'door' : 'doors'} of `
    const arrows = direct.length === 0 ? '' : ` --> ${direct.sort().join(' & ')}`
    return `  ${room}["${room}<br>${of}${fileCount} files"]${arrows}`
  })
  return ['```mermaid', 'flowchart TD', ...lines, '```', ''].join('\n')
}
