import type { ThreadCode } from '../../src/app/matcher-thread.js'

/** A module of TypeScript as a thread runs it: loaders are not handed on to threads. */
export function threadCode(module: URL): ThreadCode {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const text = `import { register } from ${loader}; register(); await import(${JSON.stringify(module.href)})`
  return { file: new URL(`data:text/javascript,${encodeURIComponent(text)}`), execArgv: [] }
}
