import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Creates a folder. It is removed at the end of the test, or of the file if no test runs yet. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-test-'))
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    onTestFinished(remove)
  } catch {
    afterAll(remove)
  }
  return folder
}
