import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { fileError } from './file-error.js'

/** SHA-256 of a file as it lies on disk, and its date. Errors: INPUT_NOT_FOUND, INPUT_IS_FOLDER, INPUT_UNREADABLE. */
export async function fingerprintFile(path: string): Promise<{ sha256: string; dateMs: number }> {
  try {
    const { mtimeMs } = statSync(path)
    const hash = createHash('sha256')
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
    return { sha256: hash.digest('hex'), dateMs: mtimeMs }
  } catch (error) {
    throw fileError(error, path)
  }
}
