import openapiTypescript, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OpenApi } from '../support/openapi.js'
import { startTestService } from '../support/test-service.js'

let declarations: string
beforeAll(async () => {
  const { nobody } = await startTestService()
  const document = (await nobody.get('/openapi.json')).json as unknown as OpenApi
  declarations = astToString(await openapiTypescript(JSON.stringify(document)))
}, 60_000)

/** Type errors of a caller that uses the generated declarations. */
function complaintsOf(caller: string): string[] {
  const files = new Map([
    ['/api.ts', declarations],
    ['/caller.ts', `import type { components, paths } from './api.js'\n${caller}`],
  ])
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  }
  const disk = ts.createCompilerHost(options)
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => files.has(path) || disk.fileExists(path),
    readFile: (path) => files.get(path) ?? disk.readFile(path),
    getSourceFile: (path, language, ...rest) => {
      const text = files.get(path)
      return text === undefined
        ? disk.getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, text, language)
    },
  }
  const program = ts.createProgram([...files.keys()], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const reply = `paths['/v3/runs/{run_id}']['get']['responses'][200]['content']['application/json']`

describe('a client that is generated from the document', () => {
  test('reads the entity of a run after it has narrowed the status', () => {
    expect(
      complaintsOf(`
        export function legalName(run: ${reply}): string | null {
          if (run.status === 'PENDING') return null satisfies typeof run.data
          if (run.status === 'FAILED') return null
          return run.data.entity?.legal_name ?? null
        }
        export const answer = (run: components['schemas']['CompletedRun']) => run.data.entity`),
    ).toEqual([])
  })

  test('may not read the entity of a run whose status it has not looked at', () => {
    expect(complaintsOf(`export const name = (run: ${reply}) => run.data.entity`)).not.toEqual([])
  })
})
