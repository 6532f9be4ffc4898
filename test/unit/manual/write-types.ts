import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateTypes } from './generated-types.js'

// `npm run docs` runs this script.
const root = fileURLToPath(new URL('../../../', import.meta.url))
mkdirSync(`${root}types`, { recursive: true })
for (const [path, text] of await generateTypes()) writeFileSync(root + path, text)
