import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { spool } from '../../src/pipeline/input/sources.js'
import { removeStaleTemporaries, buildTemporaryPath } from '../../src/platform/files.js'
import { makeFolder } from '../support/temporary-folder.js'

/** Above any process id that Linux gives. */
const goneProcessId = 2 ** 22 + 1

let folder: string
const names = () => readdirSync(folder).sort()
const write = (...files: string[]) => {
  for (const name of files) writeFileSync(join(folder, name), '')
}
beforeEach(() => {
  folder = makeFolder()
})

describe('what a killed process left', () => {
  const output = () => join(folder, 'out.csv')

  test('is removed next to an output, also if its process had our id', () => {
    write(`.out.csv.${goneProcessId}-0123abcd.tmp`, `.out.csv.${process.pid}-0123abcd.tmp`)
    write(`.out.csv.${goneProcessId}-0123abcd.tmp.duckdb`, `.out.csv.${goneProcessId}-0123abcd.tmp.probe`)
    removeStaleTemporaries(output())
    expect(names()).toEqual([])
  })

  test('is told from what is being written, here and in another process, and from files of the user', () => {
    const ours = buildTemporaryPath(output(), '.ndjson')
    writeFileSync(ours, '')
    const kept = [
      `.out.csv.${process.ppid}-0123abcd.tmp`,
      `.out.csv.1.tmp`,
      '.out.csv.bak',
      `.other.csv.${goneProcessId}-0123abcd.tmp`,
    ]
    write(...kept)
    removeStaleTemporaries(output())
    expect(names()).toEqual([...kept, ours.slice(folder.length + 1)].toSorted())
  })

  test('of standard input is removed when standard input is read again', async () => {
    write(`stdin.${goneProcessId}-0123abcd.spool`, `stdin.${process.ppid}-0123abcd.spool`)
    const { file, remove } = await spool(Readable.from(['company_name\nAcme\n']), folder)
    expect(names()).toEqual(
      [`stdin.${process.ppid}-0123abcd.spool`, file.path.slice(folder.length + 1)].toSorted(),
    )
    remove()
    expect(names()).toEqual([`stdin.${process.ppid}-0123abcd.spool`])
  })
})
