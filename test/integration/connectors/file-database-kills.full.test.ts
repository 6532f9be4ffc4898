import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import * as duckDbConnector from '../../../src/connectors/databases/duckdb.js'
import * as sqliteConnector from '../../../src/connectors/databases/sqlite.js'
import { startProgram } from '../../support/child-process.js'
import { fetchTable, makeFolder, publishTable, queryDuckDb, writeParquet } from './copied-tables.js'

const program = new URL('../../support/publish-child.ts', import.meta.url).href
const connectors = { sqlite: sqliteConnector, duckdb: duckDbConnector }

describe.each(['sqlite', 'duckdb'] as const)('%s', (kind) => {
  const connector = connectors[kind]

  test.each(['in place', 'with other columns', 'by upsert'])(
    'killed at any moment of a replacement %s, the table is old or new',
    async (how) => {
      const address = `${kind}:${join(makeFolder(), 'data.db')}#t`
      const old = await writeParquet(`SELECT i::INTEGER AS id, 'old' AS name FROM range(1, 30001) r(i)`)
      const more = how === 'with other columns' ? ', 0.5::DOUBLE AS enrich_score' : ''
      const path = await writeParquet(
        `SELECT i::INTEGER AS id, 'new' AS name${more} FROM range(1, 100001) r(i)`,
      )
      const summarize = async () => {
        const { path: copy } = await fetchTable(connector, address)
        return (await queryDuckDb(`SELECT count(*) || min(name) || max(name) FROM '${copy}'`))[0]?.[0]
      }
      const seen: unknown[] = []
      for (let delayMs = 20; seen.at(-1) !== '100000newnew'; delayMs *= 3) {
        await publishTable(connector, address, old)
        const child = startProgram(program, address, path, how === 'by upsert' ? 'upsert' : 'replace')
        await child.nextLine()
        await Promise.race([child.nextLine().catch(() => null), sleep(delayMs)])
        await child.kill()
        seen.push(await summarize())
      }
      expect(new Set(seen)).toEqual(new Set(['30000oldold', '100000newnew']))
      await publishTable(connector, address, path)
      expect(await summarize()).toBe('100000newnew')
      const folder = address.slice(kind.length + 1, -'/data.db#t'.length)
      expect(readdirSync(folder)).toEqual(['data.db'])
    },
  )

  test('killed at any moment of a first publication, there is no file or a whole one', async () => {
    const folder = makeFolder()
    const address = `${kind}:${join(folder, 'data.db')}#t`
    const path = await writeParquet('SELECT i AS id FROM range(100000) r(i)')
    const countRows = async () => {
      const { path: copy } = await fetchTable(connector, address)
      return (await queryDuckDb(`SELECT count(*)::INTEGER FROM '${copy}'`))[0]?.[0]
    }
    let isDone = false
    for (let delayMs = 10; !isDone; delayMs *= 3) {
      rmSync(join(folder, 'data.db'), { force: true })
      const child = startProgram(program, address, path)
      await child.nextLine()
      isDone = (await Promise.race([child.nextLine().catch(() => null), sleep(delayMs)])) === 'done'
      await child.kill()
      if (existsSync(join(folder, 'data.db'))) expect(await countRows()).toBe(100_000)
    }
    rmSync(join(folder, 'data.db'), { force: true })
    await publishTable(connector, address, path)
    expect([await countRows(), readdirSync(folder)]).toEqual([100_000, ['data.db']])
  })
})
