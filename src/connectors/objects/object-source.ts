import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { FetchedFile, Source } from '../connector.js'
import { createChangedError, download } from './download.js'
import { isRequestable, parsePattern, type KeyPattern } from './object-address.js'
import type { ListedObject } from './object-store.js'
import type { ReadableStore } from './readable-store.js'

/** Objects with one key, or with keys that match a pattern. */
export class ObjectSource implements Source {
  constructor(
    private readonly store: ReadableStore,
    private readonly key: string,
  ) {}

  async fetch(folder: string): Promise<readonly FetchedFile[]> {
    const { store } = this
    const objects = await this.#findObjects()
    const files: FetchedFile[] = []
    let startedCount = 0
    const fetchNext = async () => {
      for (let index = startedCount++; index < objects.length; index = startedCount++) {
        const object = objects[index]
        if (object === undefined) return
        const { key, info } = object
        const label = store.buildLabel(key)
        const path = join(folder, `${index + 1}${findExtension(key)}`)
        const found = await download(store, key, info, path)
        if (found === null) throw createChangedError(label)
        files[index] = { path, label, format: null, places: store.listPlaces(key, found), isQuery: false }
      }
    }
    const workers = Array.from({ length: store.client.platform.limits.transfersInFlight }, fetchNext)
    try {
      await Promise.all(workers)
    } finally {
      // The caller removes the folder: no worker may still write to it.
      startedCount = objects.length
      await Promise.allSettled(workers)
    }
    return files
  }

  async close(): Promise<void> {
    await this.store.client.close()
  }

  async #findObjects(): Promise<readonly ListedObject[]> {
    const { store, key } = this
    if (store.canList && key.endsWith('/')) throw this.#createFolderError()
    // A key that exists literally takes precedence over a pattern.
    const info = await store.head(key)
    if (info !== null) return [{ key, info }]
    const pattern = store.canList ? parsePattern(key) : null
    if (pattern !== null) return this.#listMatches(pattern)
    if (await this.#isFolder()) throw this.#createFolderError()
    throw new UserError('INPUT_NOT_FOUND', `${store.buildLabel(key)} does not exist`, {
      hint: 'check the address; names are case-sensitive',
    })
  }

  async #listMatches(pattern: KeyPattern): Promise<readonly ListedObject[]> {
    const { store } = this
    const label = store.buildLabel(this.key)
    const { objectsMax } = store.client.platform.limits
    const found: ListedObject[] = []
    for await (const object of store.list(pattern.prefix)) {
      const { key } = object
      if (!pattern.matches(key)) continue
      if (!isRequestable(key)) {
        throw new UserError('ADDRESS_INVALID', `${label} matches an object with a part . or .. in its name`, {
          hint: 'rename the object, or use another pattern',
        })
      }
      if (found.length === objectsMax) {
        throw new UserError('ADDRESS_INVALID', `${label} matches more than ${objectsMax} objects`, {
          hint: 'use a pattern that matches fewer, and run once for each',
        })
      }
      found.push(object)
    }
    if (found.length > 0) return found.sort((a, b) => (a.key < b.key ? -1 : 1))
    throw new UserError('INPUT_NOT_FOUND', `no object matches ${label}`, {
      hint: '* matches within one part of the name, ** matches over several parts',
    })
  }

  async #isFolder(): Promise<boolean> {
    try {
      for await (const _ of this.store.list(`${this.key}/`, 1)) return true
    } catch (error) {
      // Reading does not need the right to list.
      if (!(error instanceof UserError && error.code === 'ACCESS_DENIED')) throw error
    }
    return false
  }

  #createFolderError(): UserError {
    const label = this.store.buildLabel(this.key.replace(/\/+$/, ''))
    return new UserError('INPUT_IS_FOLDER', `${label}/ is a folder`, {
      hint: `name the objects in it by a pattern, like ${label}/*.csv`,
    })
  }
}

/** Returns the extensions of a key, without any part of its path. */
function findExtension(key: string): string {
  const [extension = ''] = /(?:\.[a-z0-9]{1,10}){1,2}$/i.exec(key.slice(key.lastIndexOf('/') + 1)) ?? []
  return extension.toLowerCase()
}
