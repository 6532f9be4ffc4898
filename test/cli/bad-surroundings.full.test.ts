import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadDriver } from '../../src/platform/sqlite.js'
import { createPlace } from '../support/cli.js'
import { expectRefusal, write, type BadCase, run } from '../support/refusal.js'
import { canMount } from '../crash/small-disk.js'

const Database = loadDriver()

const outputs: readonly BadCase[] = [
  { title: 'no output', code: 'OUTPUT_MISSING', says: /-o out\.parquet/, args: ['in.csv'] },
  {
    title: 'an output in a folder that does not exist',
    code: 'OUTPUT_UNWRITABLE',
    says: /mkdir -p nowhere/,
    args: ['in.csv', '-o', 'nowhere/out.csv'],
  },
  {
    title: 'an output that is a folder',
    code: 'OUTPUT_UNWRITABLE',
    says: /folder/,
    args: ['in.csv', '-o', '.', '--format', 'csv'],
  },
  {
    title: 'an output that is open already',
    code: 'OUTPUT_UNWRITABLE',
    says: /pass - /,
    args: ['in.csv', '-o', '/dev/stdout', '--format', 'csv'],
  },
  {
    title: 'an output without a format',
    code: 'OUTPUT_FORMAT_UNKNOWN',
    says: /\.parquet/,
    args: ['in.csv', '-o', 'out.xls'],
  },
  {
    title: 'an output that is the input',
    code: 'OUTPUT_IS_INPUT',
    says: /never overwritten/,
    args: ['in.csv', '-o', './in.csv'],
  },
  {
    title: 'an input that has a column of ours',
    code: 'OUTPUT_COLUMN_TAKEN',
    says: /--prefix/,
    prepare: write('in.csv', 'name,enrich_status\nAcme,x\n'),
  },
  {
    title: 'a column that there is not',
    code: 'OUTPUT_COLUMN_UNKNOWN',
    says: /confidence/,
    args: [...run, '--columns', 'status,confidense'],
  },
]

const surroundings: readonly BadCase[] = [
  {
    title: 'a checkpoint that is a text',
    code: 'CHECKPOINT_INVALID',
    says: /not changed/,
    prepare: write('c.sqlite', 'not a database, but long enough to look at'),
    args: [...run, '--checkpoint', 'c.sqlite'],
  },
  {
    title: 'a config with an unknown key',
    code: 'CONFIG_INVALID',
    says: /"output\.pth"/,
    prepare: write('pipeline.config.json', '{"output":{"pth":"out.csv"}}'),
  },
  { title: 'no API key', code: 'API_KEY_MISSING', says: /ENRICH_API_KEY/, env: { ENRICH_API_KEY: '' } },
  {
    title: 'a base URL that is none',
    code: 'BASE_URL_INVALID',
    says: /https:\/\//,
    env: { ENRICH_BASE_URL: 'api.example.com' },
  },
  {
    title: 'a registry that is missing',
    code: 'REGISTRY_NOT_FOUND',
    says: /r\.sqlite/,
    args: [...run, '--registry', 'r.sqlite'],
    env: { ENRICH_BASE_URL: '' },
  },
  {
    title: 'a registry that is none',
    code: 'REGISTRY_INVALID',
    says: /in\.csv/,
    args: [...run, '--registry', 'in.csv'],
    env: { ENRICH_BASE_URL: '' },
  },
]

describe('a bad output, checkpoint, config, key or registry is refused; nothing is submitted, nothing is left', () => {
  test.concurrent.for([...outputs, ...surroundings])('$title', async (bad, context) => {
    await expectRefusal(bad, context)
  })
})

/** Mounts a small disk of its own; null where that is not permitted. */
function mountDisk(path: string, options: string): (() => void) | null {
  mkdirSync(path, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'enrich-test', path]).status !== 0) return null
  return () => spawnSync('umount', [path])
}

// Mounting takes a superuser: without one, what stands in for these is the writer's and the checkpoint's own tests.
describe.skipIf(!canMount())('is refused on disks that are full or read-only', () => {
  const cases: readonly (BadCase & { mount: string })[] = [
    {
      title: 'no room for the output',
      mount: 'size=1m',
      code: 'DISK_FULL',
      says: /free some space/,
      args: ['in.csv', '-o', 'disk/out.csv'],
    },
    {
      title: 'no room for the checkpoint',
      mount: 'size=64k',
      code: 'DISK_FULL',
      says: /free some space/,
      args: [...run, '--checkpoint', 'disk/c.sqlite'],
    },
    {
      title: 'an output on a read-only disk',
      mount: 'size=64k,ro',
      code: 'OUTPUT_UNWRITABLE',
      says: /disk\/out\.csv/,
      args: ['in.csv', '-o', 'disk/out.csv'],
    },
    {
      title: 'a checkpoint on a read-only disk',
      mount: 'size=64k,ro',
      code: 'CHECKPOINT_UNWRITABLE',
      says: /--checkpoint/,
      args: [...run, '--checkpoint', 'disk/c.sqlite'],
    },
  ]
  test.for(cases)('$title', async (bad, context) => {
    const place = createPlace(context.onTestFinished)
    const unmount = mountDisk(place.path('disk'), bad.mount)
    try {
      await expectRefusal(bad, context, {}, place)
      expect(place.namesIn('disk').filter((name) => !name.startsWith('c.sqlite'))).toEqual([])
    } finally {
      unmount?.()
    }
  })
})
