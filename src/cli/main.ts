#!/usr/bin/env node
import module from 'node:module'

// Node.js 22 and newer cache compiled code. The folder belongs to the user, because its content is executed.
// If it is not writable, nothing is cached and nothing fails.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
const { HOME: home = '', XDG_CACHE_HOME: cache = home && `${home}/.cache` } = process.env
if (cache !== '') enableCompileCache?.(`${cache}/enrich/compiled`)

// Imported after the cache is enabled, so that it is cached too.
await import('./command-line.js').catch((error: unknown) => {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EMFILE' && code !== 'ENFILE') throw error
  // No other module can be loaded to explain it.
  const message = 'too many open files: the limit of this process is too low'
  const hint = 'run ulimit -n 2048, then the same command again; about 512 are enough'
  const line = { type: 'error', code: 'FILES_TOO_MANY', message, hint, exitCode: 2 }
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(line)}\n`)
  process.stderr.write(`error FILES_TOO_MANY: ${message}\n  hint: ${hint}\n`)
  process.exitCode = 2
})
