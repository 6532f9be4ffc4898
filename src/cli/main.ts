#!/usr/bin/env node
import module from 'node:module'

// Node.js 22 and newer keep what they compiled, in a folder of the user's own: who can write it, decides what is run.
// Where it cannot be written, nothing is kept and nothing fails.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
const { HOME: home = '', XDG_CACHE_HOME: cache = home && `${home}/.cache` } = process.env
if (cache !== '') enableCompileCache?.(`${cache}/enrich/compiled`)

// Not before: it is to be kept too.
await import('./command-line.js')
