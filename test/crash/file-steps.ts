import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, relative } from 'node:path'
import type { Life } from './mortality.js'

type AnyFunction = (...args: unknown[]) => unknown

/**
 * Makes every change to a file below `folder` a step of the life, for as long as it is watched. It stands
 * around the functions of `node:fs` themselves, so no writing can go past it; the real ones are called. What
 * libraries write by themselves (SQLite, DuckDB) is not seen. Returns how to end it.
 */
export function watchFiles(folder: string, life: Life): () => void {
  const undo: (() => void)[] = []
  const wrap = (owner: object, name: string, wrapper: (real: AnyFunction) => AnyFunction) => {
    const functions = owner as Record<string, AnyFunction>
    const real = functions[name]
    if (real === undefined) throw new Error(`node:fs has no ${name}`)
    functions[name] = wrapper(real.bind(owner))
    undo.push(() => (functions[name] = real))
  }
  const nameOf = (path: unknown) =>
    typeof path === 'string' && path.startsWith(folder) ? tidyName(folder, path) : null
  const pathOfDescriptor = new Map<unknown, string>()

  for (const name of ['writeFileSync', 'mkdirSync', 'rmSync', 'renameSync', 'copyFileSync']) {
    wrap(fs, name, (real) => (...args) => {
      const file = nameOf(args[0])
      return file === null ? real(...args) : life.aroundFileSync(`${name} ${file}`, () => real(...args))
    })
  }
  wrap(fs, 'openSync', (real) => (...args) => {
    const descriptor = real(...args)
    const file = nameOf(args[0])
    if (file === null) pathOfDescriptor.delete(descriptor)
    else pathOfDescriptor.set(descriptor, file)
    return descriptor
  })
  wrap(fs, 'fsyncSync', (real) => (...args) => {
    const file = pathOfDescriptor.get(args[0])
    return file === undefined ? real(...args) : life.aroundFileSync(`fsyncSync ${file}`, () => real(...args))
  })
  wrap(fs.promises, 'open', (real) => async (...args) => {
    const file = nameOf(args[0])
    if (file === null || args[1] === undefined || args[1] === 'r') return real(...args)
    return openSteps(file, life, () => real(...args) as Promise<FileHandle>)
  })
  syncBuiltinESMExports()
  return () => {
    for (const restore of undo) restore()
    syncBuiltinESMExports()
  }
}

/** An open file, each change of which is a step. Whoever dies over it closes it: a real death would. */
async function openSteps(file: string, life: Life, open: () => Promise<FileHandle>): Promise<FileHandle> {
  const opened: FileHandle[] = []
  const closing = async (error: unknown): Promise<never> => {
    await opened[0]?.close().catch(() => undefined)
    throw error
  }
  const call = async () => {
    opened.push(await open())
  }
  await life.aroundFile(`open ${file}`, call).catch(closing)
  const [handle] = opened
  if (handle === undefined) throw new Error(`${file} was not opened`)
  const real = { writeFile: handle.writeFile.bind(handle), close: handle.close.bind(handle) }
  opened[0] = Object.create(handle, { close: { value: real.close } }) as FileHandle
  handle.writeFile = (...args) =>
    life.aroundFile(`writeFile ${file}`, () => real.writeFile(...args)).catch(closing)
  handle.close = () => life.aroundFile(`close ${file}`, real.close).catch(closing)
  return handle
}

/** The chance in a temporary's name left out, so that the steps of two lives can be compared. */
function tidyName(folder: string, path: string): string {
  const name = relative(folder, path) || basename(folder)
  return name.replace(/\d+-[0-9a-f]{8}\.tmp/g, 'tmp')
}
