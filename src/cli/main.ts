#!/usr/bin/env node
import module from 'node:module'

// Node.js 22 and newer cache compiled code. The folder belongs to the user, because its content is executed.
// If it is not writable, nothing is cached and nothing fails.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
const { HOME: home = '', XDG_CACHE_HOME: cache = home && `${home}/.cache` } = process.env
if (cache !== '') enableCompileCache?.(`${cache}/enrich/compiled`)

// Imported after the cache is enabled, so that it is cached too.
await import('./command-line.js')
