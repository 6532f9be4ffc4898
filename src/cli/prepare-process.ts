import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { allocatorEnvironment } from '../parquet/duckdb.js'

/** What a command may do to its own process, and an imported module never does to that of others. */
export function prepareProcess(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(allocatorEnvironment)) environment[name] ??= value
  setFlagsFromString('--expose-gc')
  globalThis.gc ??= runInNewContext('gc') as typeof globalThis.gc
}
