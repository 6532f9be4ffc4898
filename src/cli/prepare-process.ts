import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { allocatorEnvironment } from '../parquet/duckdb.js'

/** What a command may do to its own process, and an imported module never does to that of others. */
export function prepareProcess(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(allocatorEnvironment)) environment[name] ??= value
  // What loads modules runs once: to compile it well costs a sixth of the start. See `startIsOver`.
  setFlagsFromString('--no-opt')
  setFlagsFromString('--expose-gc')
  globalThis.gc ??= runInNewContext('gc') as typeof globalThis.gc
}

/** To be called before the work begins: from then on V8 compiles well what runs often. */
export function startIsOver(): void {
  setFlagsFromString('--opt')
}
