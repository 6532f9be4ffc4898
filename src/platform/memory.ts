import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | null = null

/**
 * Gives back what is garbage, now. On a machine with much memory V8 lets some hundred megabytes of it lie;
 * where millions of rows pass through, or DuckDB is about to want the room, that is the peak of the process.
 */
export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}
