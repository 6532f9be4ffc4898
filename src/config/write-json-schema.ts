import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { fileConfig } from './file-config.js'

/** Run by `npm run build`: the JSON Schema of pipeline.config.json, for editors and validators. */
const schema = { title: 'pipeline.config.json of enrich', ...z.toJSONSchema(fileConfig, { io: 'input' }) }
writeFileSync(new URL('../config.schema.json', import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)
