import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface Child {
  /** The next line of its standard output; fails the test if it ends before. */
  nextLine(): Promise<string>
  /** Ends it as a power cut would: nothing in it runs after. */
  kill(): Promise<void>
  /** SIGSTOP and SIGCONT: a machine that slept. */
  signal(name: NodeJS.Signals): void
}

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Where the tests' programs are bundled (see bundled-children.ts). Without it, sources are loaded one by one. */
export const childrenVariable = 'TEST_CHILDREN'

/**
 * Runs a TypeScript module of the tests in a process of its own: what is tested is the source, never a stale build.
 * `moduleUrl` is a file URL; its export `main` gets the arguments.
 */
export function startChild(moduleUrl: string, ...args: string[]): Child {
  const { loader, path } = programAt(moduleUrl)
  const code = `
    const { main } = await import(${JSON.stringify(pathToFileURL(path).href)})
    await main(...${JSON.stringify(args)})`
  return follow([...loader, '--input-type=module', '--eval', code], moduleUrl)
}

/** The same of a module that does its work when it is loaded; it gets the arguments as its own. */
export function startProgram(moduleUrl: string, ...args: string[]): Child {
  const { loader, path } = programAt(moduleUrl)
  return follow([...loader, path, ...args], moduleUrl)
}

function programAt(moduleUrl: string): { loader: readonly string[]; path: string } {
  const path = fileURLToPath(moduleUrl)
  const folder = process.env[childrenVariable]
  return folder === undefined
    ? { loader: ['--import', 'tsx'], path }
    : { loader: [], path: join(folder, `${basename(path, '.ts')}.js`) }
}

function follow(nodeArgs: readonly string[], moduleUrl: string): Child {
  const child = spawn(process.execPath, nodeArgs, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  child.once('exit', () => process.off('exit', killWithParent))
  return {
    nextLine: async () => {
      const line = await lines.next()
      if (line.done === true) throw new Error(`${moduleUrl} ended early`)
      return line.value
    },
    kill: () => endNow(child),
    signal: (name) => {
      child.kill(name)
    },
  }
}

/**
 * Sixteen callers that call as fast as answers come, until so many calls were acknowledged and the child is killed.
 * A call gives what was acknowledged, or null where no answer came; its argument is how many were before it.
 */
export async function callUntilKilled(
  child: Child,
  killAfterCount: number,
  call: (acknowledgedCount: number) => Promise<string | null>,
): Promise<string[]> {
  const acknowledged: string[] = []
  const caller = async () => {
    for (;;) {
      const answer = await call(acknowledged.length)
      if (answer === null) return
      acknowledged.push(answer)
      if (acknowledged.length === killAfterCount) void child.kill()
    }
  }
  await Promise.all(Array.from({ length: 16 }, caller))
  return acknowledged
}

async function endNow(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
