import { join } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { FetchedFile, Source } from '../connector.js'
import { download, createChangedError } from './download.js'
import { isRequestable, parsePattern, type KeyPattern } from './object-address.js'
import type { ReadableStore } from './object-store.js'

/** Objects with one key, or with keys that match a pattern. */
export class ObjectSource implements Source {
  constructor(
    private readonly store: ReadableStore,
    private readonly key: string,
  ) {}

  async check(): Promise<void> {
    await this.#findKeys()
  }

  async fetch(folder: string): Promise<readonly FetchedFile[]> {
    const files: FetchedFile[] = []
    for (const key of await this.#findKeys()) {
      const label = this.store.buildLabel(key)
      const path = join(folder, `${files.length + 1}${findExtension(key)}`)
      if (!(await download(this.store, key, path))) throw createChangedError(label)
      files.push({ path, label, format: null })
    }
    return files
  }

  async close(): Promise<void> {
    await this.store.client.close()
  }

  async #findKeys(): Promise<readonly string[]> {
    const { store, key } = this
    if (store.list !== null && key.endsWith('/')) throw this.#createFolderError()
    // A key that exists literally takes precedence over a pattern.
    if ((await store.head(key)) !== null) return [key]
    const pattern = store.list === null ? null : parsePattern(key)
    if (pattern !== null) return this.#listMatches(pattern)
    if (await this.#isFolder()) throw this.#createFolderError()
    throw new UserError('INPUT_NOT_FOUND', `${store.buildLabel(key)} does not exist`, {
      hint: 'check the address; names are case-sensitive',
    })
  }

  async #listMatches(pattern: KeyPattern): Promise<readonly string[]> {
    const { store } = this
    const label = store.buildLabel(this.key)
    const { objectsMax } = store.client.platform.limits
    const keys: string[] = []
    for await (const key of store.list?.(pattern.prefix) ?? []) {
      if (!pattern.matches(key)) continue
      if (!isRequestable(key)) {
        throw new UserError('ADDRESS_INVALID', `${label} matches an object with a part . or .. in its name`, {
          hint: 'rename the object, or use another pattern',
        })
      }
      if (keys.length === objectsMax) {
        throw new UserError('ADDRESS_INVALID', `${label} matches more than ${objectsMax} objects`, {
          hint: 'use a pattern that matches fewer, and run once for each',
        })
      }
      keys.push(key)
    }
    if (keys.length > 0) return keys.sort()
    throw new UserError('INPUT_NOT_FOUND', `no object matches ${label}`, {
      hint: '* matches within one part of the name, ** matches over several parts',
    })
  }

  async #isFolder(): Promise<boolean> {
    try {
      for await (const _ of this.store.list?.(`${this.key}/`, 1) ?? []) return true
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
