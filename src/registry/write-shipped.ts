import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openRegistry } from './registry.js'
import { importShipped, getShippedStorePath } from './read-registry.js'

/** `npm run build` runs this script: it imports the shipped registry once, so commands need not. */
const path = getShippedStorePath()
const folder = dirname(path)
for (const name of readdirSync(folder)) if (/^shipped-.*\.sqlite/.test(name)) rmSync(join(folder, name))
importShipped(openRegistry(path, { staging: true })).close()
