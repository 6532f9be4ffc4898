import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as duckDbConnector from '../../../src/connectors/databases/duckdb.js'
import * as sqliteConnector from '../../../src/connectors/databases/sqlite.js'
import {
  fetchTable,
  makeFolder,
  openTarget,
  publishTable,
  queryDuckDb,
  refusedQueries,
  unfitFiles,
  writeParquet,
} from './copied-tables.js'

describe.each([
  ['sqlite', sqliteConnector],
  ['duckdb', duckDbConnector],
] as const)('%s', (kind, connector) => {
  const publish = (path: string, file: string, options = {}) =>
    publishTable(connector, `${kind}:${path}#t`, file, options)
  const read = async (path: string) => {
    const { path: copy } = await fetchTable(connector, `${kind}:${path}#t`)
    return (await queryDuckDb(`FROM '${copy}' ORDER BY ALL`)).map((row) => row.map(String))
  }
  const create = async (select: string) => {
    const path = join(makeFolder(), 'data.db')
    await publish(path, await writeParquet(select))
    return path
  }
  const large = 'SELECT i AS a, i AS b FROM range(3000000) r(i)'

  test('append and upsert keep other rows and columns', async () => {
    const path = await create(
      `SELECT 1::INTEGER AS id, 'one' AS name, 'mine' AS note UNION ALL SELECT 2, 'two', 'x'`,
    )
    const file = await writeParquet(`SELECT 2::INTEGER AS id, 'zwei' AS name UNION ALL SELECT 3, ''`)
    await publish(path, file, { mode: 'upsert', keyColumn: 'id' })
    const rows = [
      ['1', 'one', 'mine'],
      ['2', 'zwei', 'x'],
      ['3', '', 'null'],
    ]
    expect(await read(path)).toEqual(rows)
    for (const [select, options] of unfitFiles)
      await expect(publish(path, await writeParquet(select), options), select).rejects.toMatchObject({
        code: 'OUTPUT_TABLE_UNFIT',
      })
    expect(await read(path)).toEqual(rows)
    await publish(path, file, { mode: 'append' })
    expect(await read(path)).toHaveLength(5)
    const fresh = join(makeFolder(), 'data.db')
    // The first upsert creates the table, and the second one finds its rows.
    await publish(fresh, file, { mode: 'upsert', keyColumn: 'id' })
    await publish(fresh, file, { mode: 'upsert', keyColumn: 'id' })
    expect(await read(fresh)).toHaveLength(2)
    expect(() => openTarget(connector, `${kind}:${path}#t`, { mode: 'upsert' })).toThrow(
      expect.objectContaining({ code: 'USAGE_INVALID' }),
    )
  })

  test('a replaced table gets the columns of the output, even if all are others', async () => {
    const path = await create('SELECT 1 AS a')
    for (const [select, row] of [
      ["SELECT '007' AS a", '007'],
      ['SELECT 2 AS b', '2'],
    ] as const) {
      await publish(path, await writeParquet(select))
      expect(await read(path)).toEqual([[row]])
    }
  })

  test('trying leaves no trace, and a stopped copy changes nothing', async () => {
    const path = await create('SELECT 1 AS a')
    const file = await writeParquet(large)
    await openTarget(connector, `${kind}:${path}#t`).tryWriting(await writeParquet('SELECT 2 AS b'))
    const stop = new AbortController()
    const publishing = openTarget(connector, `${kind}:${path}#t`, { signal: stop.signal }).publish(file)
    setTimeout(() => {
      stop.abort(new Error('stopped'))
    }, 50)
    await expect(publishing).rejects.toThrow('stopped')
    expect(await read(path)).toEqual([['1']])
    const folder = makeFolder()
    await openTarget(connector, `${kind}:${join(folder, 'new.db')}#t`).tryWriting(
      await writeParquet('SELECT 1 AS a'),
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test('a trial on a missing file leaves a file that another process creates meanwhile', async () => {
    const path = join(makeFolder(), 'data.db')
    const trying = openTarget(connector, `${kind}:${path}#t`).tryWriting(await writeParquet(large))
    await openTarget(connector, `${kind}:${path}#t`).publish(await writeParquet('SELECT 1 AS a'))
    await trying
    expect(await read(path)).toEqual([['1']])
    expect(readdirSync(dirname(path))).toEqual(['data.db'])
  })

  test('a query is one SELECT', async () => {
    const path = await create('SELECT 1 AS a')
    const query = (text: string) => fetchTable(connector, `${kind}:${path}`, { query: text })
    const { path: copy } = await query('SELECT a AS "A b" FROM t -- all\n;')
    expect(await queryDuckDb(`SELECT "A b"::INTEGER FROM '${copy}'`)).toEqual([[1]])
    for (const text of refusedQueries)
      await expect(query(text), text).rejects.toMatchObject({ code: 'QUERY_REFUSED' })
    expect(await read(path)).toEqual([['1']])
  })

  test('files that are missing or no database are named and unchanged', async () => {
    const file = await writeParquet('SELECT 1 AS a')
    const text = join(makeFolder(), 'notes.txt')
    writeFileSync(
      text,
      'notes that are longer than the header of a database, which has a hundred bytes'.repeat(50),
    )
    const before = readFileSync(text)
    for (const path of [text, join(text, 'x.db'), join(dirname(text), 'no-folder', 'x.db')])
      await expect(publish(path, file), path).rejects.toMatchObject({ code: 'OUTPUT_UNWRITABLE' })
    expect(existsSync(text) && readFileSync(text).equals(before)).toBe(true)
    await expect(read(text)).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' })
    await expect(read(`${text}x`)).rejects.toMatchObject({ code: 'INPUT_NOT_FOUND' })
  })
})
