import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolveBelow } from '../../../src/cli/mcp/workspace.js'

let base = ''
let root = ''
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'enrich-paths-')))
  root = join(base, 'files')
  mkdirSync(join(root, 'sub'), { recursive: true })
  mkdirSync(join(base, 'files-of-others'))
  writeFileSync(join(base, 'outside.csv'), 'company\n')
  writeFileSync(join(root, 'in.csv'), 'company\n')
  symlinkSync(join(base, 'outside.csv'), join(root, 'link.csv'))
  symlinkSync(base, join(root, 'folder'))
  symlinkSync(join(base, 'new.csv'), join(root, 'dangling.csv'))
  symlinkSync('in.csv', join(root, 'inner.csv'))
  symlinkSync(join(base, 'files-of-others'), join(root, 'near'))
})
afterAll(() => {
  rmSync(base, { recursive: true, force: true })
})

describe('a path of an assistant', () => {
  test.each([
    ['in.csv', 'in.csv'],
    ['./sub/../in.csv', 'in.csv'],
    ['sub/new.csv', 'sub/new.csv'],
    ['new/folder/out.csv', 'new/folder/out.csv'],
    ['inner.csv', 'in.csv'],
    ['-o', './-o'],
    ['./s3:file.csv', './s3:file.csv'],
    ['a*.csv', 'a*.csv'],
  ])('%s leads to %s', (path, below) => {
    expect(resolveBelow(root, path)).toBe(below)
  })

  test('may be absolute if it is below the folder', () => {
    expect(resolveBelow(root, join(root, 'in.csv'))).toBe('in.csv')
  })

  test.each([
    '../outside.csv',
    'sub/../../outside.csv',
    '/etc/passwd',
    '../files-of-others/x.csv',
    'link.csv',
    'folder/outside.csv',
    'folder/new.csv',
    'dangling.csv',
    'near/x.csv',
    '.',
    '..',
    '-',
    '.env',
    '.git/config',
    'sub/.hidden/x.csv',
  ])('%j is refused', (path) => {
    expect(() => resolveBelow(root, path)).toThrow(expect.objectContaining({ code: 'PATH_OUTSIDE_ROOT' }))
  })

  test('that no file can have is refused', () => {
    expect(() => resolveBelow(root, 'a\0.csv')).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }))
  })

  test.each([
    'https://example.com/a.csv',
    's3://bucket/a.csv',
    'postgres://host/db#t',
    'sqlite:a.db#t',
    'duckdb:a.db#t',
    'file:///etc/passwd',
  ])('%s is an address, which is refused', (path) => {
    expect(() => resolveBelow(root, path)).toThrow(expect.objectContaining({ code: 'PATH_IS_ADDRESS' }))
  })
})
