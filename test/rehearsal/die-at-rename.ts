import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'

/** Loaded before the command: it is killed at the renaming of a file, as `TEST_DIE_AT` says: `before changes.csv`. */
const [when, name] = (process.env['TEST_DIE_AT'] ?? '').split(' ')
const rename = fs.renameSync
fs.renameSync = (from, to) => {
  const isIt = basename(to.toString()) === name
  if (isIt && when === 'before') process.kill(process.pid, 'SIGKILL')
  rename(from, to)
  if (isIt && when === 'after') process.kill(process.pid, 'SIGKILL')
}
syncBuiltinESMExports()
