// Loaded before the command: kills the process at the renaming of a file, before it or after it, as ENRICH_TEST_DIE says.
import fs from 'node:fs'
import { basename } from 'node:path'
import { syncBuiltinESMExports } from 'node:module'

const [when, name] = (process.env.TEST_DIE_AT ?? '').split(' ')
const rename = fs.renameSync
fs.renameSync = (from, to) => {
  const isIt = basename(String(to)) === name
  if (isIt && when === 'before') process.kill(process.pid, 'SIGKILL')
  rename(from, to)
  if (isIt && when === 'after') process.kill(process.pid, 'SIGKILL')
}
syncBuiltinESMExports()
