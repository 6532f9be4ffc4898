import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageFolder } from './package-folder.js'

export const manifestPath = fileURLToPath(new URL('package.json', packageFolder))

/** The package's version. */
export const { version } = JSON.parse(readFileSync(manifestPath, 'utf8')) as { readonly version: string }
