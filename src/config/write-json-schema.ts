import { writeFileSync } from 'node:fs'
import * as z from 'zod'
import { buildSchema } from './option.js'
import { options } from './options.js'

/** Run by `npm run build`: the JSON Schema of pipeline.config.json, for editors and validators. */
const schema = {
  title: 'pipeline.config.json of enrich',
  ...z.toJSONSchema(buildSchema(options), { io: 'input' }),
}
writeFileSync(new URL('../config.schema.json', import.meta.url), `${JSON.stringify(schema, null, 2)}\n`)
