import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { spool } from '../../src/pipeline/input/sources.js'
import {
  removeStaleTemporaries,
  buildTemporaryPath,
  createTemporaryFolder,
} from '../../src/platform/files.js'
import { createPlace, fixture } from '../support/cli.js'
import { tellSkipped } from '../support/skipped.js'
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

  test('of standard output is removed by the next run, whatever that writes', async () => {
    const place = createPlace()
    const companies = readFileSync(fixture('companies.csv'), 'utf8')
    const from = ['-', '--input-format', 'csv', '-o']
    const killed = place.start([...from, '-', '--format', 'ndjson'], { stdin: companies })
    // Nobody reads: the output is larger than a pipe, so that the run cannot end.
    killed.child.stdout?.pause()
    const listFolders = () => readdirSync(place.temporaryFolder).filter((name) => name.startsWith('enrich-'))
    while (listFolders().length === 0) await setTimeout(20)
    killed.child.kill('SIGKILL')
    killed.child.stdout?.resume()
    await killed.ended
    expect(listFolders()).not.toEqual([])
    expect((await place.run([...from, 'out.csv'], { stdin: companies })).code).toBe(0)
    expect(place.listSideFiles()).toEqual([])
  })

  test('in temporary folders is removed with the next one; those of live processes stay', () => {
    const [gone, live] = [`enrich-${goneProcessId}-0123abcd`, `enrich-${process.ppid}-0123abcd`]
    for (const name of [gone, live]) mkdirSync(join(folder, name))
    write(`${gone}/output`)
    const ours = createTemporaryFolder(folder)
    expect(names()).toEqual([live, ours.slice(folder.length + 1)].toSorted())
  })

  test('by another user in a shared temporary folder stays, and is no error', () => {
    if (userInfo().uid !== 0) {
      tellSkipped('only root can run as another user')
      return
    }
    const other = `enrich-${goneProcessId}-0123abcd`
    chmodSync(folder, 0o1777)
    mkdirSync(join(folder, other), { mode: 0o700 })
    write(`${other}/output`)
    const url = new URL('../../src/platform/files.ts', import.meta.url).href
    const code = `
      process.setgroups([]); process.setgid(65534); process.setuid(65534)
      files.createTemporaryFolder(${JSON.stringify(folder)})`
    const ended = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', `const files = await import('${url}')\n${code}`],
      { encoding: 'utf8' },
    )
    expect([ended.status, ended.stderr]).toEqual([0, ''])
    expect(names()).toHaveLength(2)
    expect(names()).toContain(other)
  })
})
