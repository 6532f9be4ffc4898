import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Chance } from '../simulation/chance.js'
import { checkpointOf, copyFiles, type State } from './states.js'

/** Does something to a checkpoint, and says what. `older` is an earlier state of the same job. */
export type Injury = (folder: string, chance: Chance, older: State) => string

const suffixes = ['', '', '', '', '-wal', '-wal', '-shm', '.head', '.lock', '.lock.json', '.reserve'] as const

function flip(folder: string, chance: Chance): string {
  const path = checkpointOf(folder) + chance.pick(suffixes)
  if (!existsSync(path)) return 'nothing to flip'
  const bytes = readFileSync(path)
  if (bytes.length === 0) {
    writeFileSync(path, Buffer.from('what is this'))
    return `something written into ${path}`
  }
  const places = Array.from({ length: chance.whole(1, 3) }, () => chance.whole(0, bytes.length - 1))
  for (const place of places) bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << chance.whole(0, 7)), place)
  writeFileSync(path, bytes)
  return `bits flipped in ${path} at ${places.join(', ')}`
}

/** Where texts stand: what is free in a page is seldom hit. */
function flipText(folder: string, chance: Chance): string {
  const path = checkpointOf(folder) + chance.pick(['', '-wal'])
  if (!existsSync(path)) return 'nothing to flip'
  const bytes = readFileSync(path)
  const word = chance.pick([
    'Company 1',
    'Holdings',
    'run_',
    'enr_',
    'accepted',
    'answered',
    'http://',
    'running',
  ])
  const places: number[] = []
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1)) places.push(at)
  if (places.length === 0) return `no ${word} to flip`
  const place = chance.pick(places) + chance.whole(0, word.length - 1)
  bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << chance.whole(0, 3)), place)
  writeFileSync(path, bytes)
  return `a bit of a ${word} flipped in ${path} at ${place}`
}

function wipePage(folder: string, chance: Chance): string {
  const path = checkpointOf(folder)
  const bytes = readFileSync(path)
  if (bytes.length < 8_192) return 'no page to wipe'
  const page = chance.whole(0, bytes.length / 4_096 - 1)
  bytes.fill(chance.pick([0, 0xff]), page * 4_096, (page + 1) * 4_096)
  writeFileSync(path, bytes)
  return `page ${page} wiped`
}

function cut(folder: string, chance: Chance): string {
  const path = checkpointOf(folder) + chance.pick(['', '-wal', '.head'])
  if (!existsSync(path)) return 'nothing to cut'
  const size = chance.whole(0, readFileSync(path).length)
  truncateSync(path, size)
  return `${path} cut to ${size}`
}

function remove(folder: string, chance: Chance): string {
  const path = checkpointOf(folder) + chance.pick(['', '-wal', '-shm', '.head'])
  rmSync(path, { force: true })
  return `${path} removed`
}

/** Some of the files of an earlier time, written over those of now or put in their place. */
function putBack(folder: string, chance: Chance, older: State): string {
  const which = chance.pick([[''], ['', '-wal'], ['', '-wal', '.head'], ['.head'], ['-wal']] as const)
  const how = chance.pick(['written over', 'renamed'] as const)
  for (const suffix of which) {
    const from = join(older.folder, `checkpoint.sqlite${suffix}`)
    const to = checkpointOf(folder) + suffix
    if (!existsSync(from)) rmSync(to, { force: true })
    else if (how === 'written over') copyFileSync(from, to)
    else {
      copyFileSync(from, `${to}.restored`)
      renameSync(`${to}.restored`, to)
    }
  }
  return `older ${which.map((suffix) => `"${suffix}"`).join(' ')} ${how}`
}

function putBackAll(folder: string, chance: Chance, older: State): string {
  const isWhole = chance.happens(0.5)
  if (isWhole) rmSync(join(folder, '.enrich'), { recursive: true })
  else for (const suffix of ['-wal', '-shm']) rmSync(checkpointOf(folder) + suffix, { force: true })
  copyFiles(older.folder, join(folder, '.enrich'))
  return isWhole ? 'the older folder in its place' : 'the older folder copied over it'
}

const none: Injury = () => 'nothing'

export const injuries: readonly Injury[] = [
  flip,
  flip,
  flip,
  flipText,
  flipText,
  wipePage,
  cut,
  remove,
  putBack,
  putBack,
  putBackAll,
  none,
]
