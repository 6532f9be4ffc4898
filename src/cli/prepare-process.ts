import { setFlagsFromString } from 'node:v8'
import { createRequire } from 'node:module'
import { allocatorEnvironment } from '../parquet/duckdb.js'

/** What a command may do to its own process, and an imported module never does to that of others. */
export function prepareProcess(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(allocatorEnvironment)) environment[name] ??= value
  // What loads modules runs once: to compile it well costs a sixth of the start. See `startIsOver`.
  setFlagsFromString('--no-opt')
  if (globalThis.gc === undefined) exposeGc()
}

/** To be called before the work begins: from then on V8 compiles well what runs often. */
export function startIsOver(): void {
  setFlagsFromString('--opt')
}

/** The first call makes it: that takes a context of its own, which most commands never need. */
function exposeGc(): void {
  globalThis.gc = (() => {
    setFlagsFromString('--expose-gc')
    const { runInNewContext } = createRequire(import.meta.url)('node:vm') as {
      runInNewContext: (code: string) => unknown
    }
    const gc = runInNewContext('gc') as NodeJS.GCFunction
    globalThis.gc = gc
    gc()
  }) as typeof globalThis.gc
}
