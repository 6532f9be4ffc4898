import { format } from 'prettier'
import { buildJsonSchema } from '../../../src/config/file-config.js'
import { at, toText } from '../../../src/core/json.js'
import { buildDeclarations } from './declarations.js'
import { buildEventSchema } from './event-schema.js'
import { PublicTypes } from './public-types.js'

/** The files of the package that are made from the types of the code: path from the root of the project, and text. */
export async function generateTypes(): Promise<ReadonlyMap<string, string>> {
  const types = new PublicTypes(['index.ts', 'cli/terminal/summary-text.ts'])
  const config = buildJsonSchema()
  const describe = (path: readonly string[]) =>
    toText(at(config, ...path.flatMap((key) => ['properties', key]), 'description')) ?? undefined
  const style = { semi: false, singleQuote: true, printWidth: 110 }
  const schema = JSON.stringify(buildEventSchema(types))
  return new Map([
    [
      'types/index.d.ts',
      await format(buildDeclarations(types, describe), { ...style, parser: 'typescript' }),
    ],
    ['types/events.schema.json', await format(schema, { ...style, parser: 'json' })],
  ])
}
