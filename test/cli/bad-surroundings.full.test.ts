import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadDriver } from '../../src/platform/sqlite.js'
import { canary, companiesCsv, createPlace } from '../support/cli.js'
import { expectRefusal, run, write, type BadCase } from '../support/refusal.js'

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
    title: 'an output below a file',
    code: 'OUTPUT_UNWRITABLE',
    says: /in\.csv\/out\.csv/,
    args: ['in.csv', '-o', 'in.csv/out.csv'],
  },
  {
    title: 'an output that is a folder',
    code: 'OUTPUT_UNWRITABLE',
    says: /folder/,
    args: ['in.csv', '-o', '.', '--format', 'csv'],
  },
  {
    title: 'an output that is a device',
    code: 'OUTPUT_UNWRITABLE',
    says: /\/dev\/full/,
    args: ['in.csv', '-o', '/dev/full', '--format', 'csv'],
  },
  {
    title: 'an output that is open already',
    code: 'OUTPUT_UNWRITABLE',
    says: /pass - /,
    args: ['in.csv', '-o', '/dev/stdout', '--format', 'csv'],
  },
  {
    title: 'an output where nobody may write',
    code: 'OUTPUT_UNWRITABLE',
    says: /\/proc\/out\.csv/,
    args: ['in.csv', '-o', '/proc/out.csv'],
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
    title: 'an output that is a symbolic link to the input',
    code: 'OUTPUT_IS_INPUT',
    says: /never overwritten/,
    prepare: (place) => {
      symlinkSync('in.csv', place.path('link.csv'))
    },
    args: ['in.csv', '-o', 'link.csv'],
  },
  {
    title: 'an output that is a hard link of the input',
    code: 'OUTPUT_IS_INPUT',
    says: /never overwritten/,
    prepare: (place) => {
      place.write('in.csv', companiesCsv(['Acme']))
      linkSync(place.path('in.csv'), place.path('hard.csv'))
    },
    args: ['in.csv', '-o', 'hard.csv'],
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
    title: 'a checkpoint below a file',
    code: 'CHECKPOINT_UNWRITABLE',
    says: /in\.csv\/c\.sqlite/,
    args: [...run, '--checkpoint', 'in.csv/c.sqlite'],
  },
  {
    title: 'a checkpoint that is a text',
    code: 'CHECKPOINT_INVALID',
    says: /not changed/,
    prepare: write('c.sqlite', 'not a database, but long enough to look at'),
    args: [...run, '--checkpoint', 'c.sqlite'],
  },
  {
    title: 'a checkpoint that is the database of another program',
    code: 'CHECKPOINT_INVALID',
    says: /not changed/,
    prepare: (place) => {
      new Database(place.path('c.sqlite')).exec('CREATE TABLE t (a)').close()
    },
    args: [...run, '--checkpoint', 'c.sqlite'],
  },
  {
    title: 'a checkpoint that is a folder',
    code: 'CHECKPOINT_INVALID',
    says: /not a file/,
    prepare: (place) => {
      mkdirSync(place.path('c.sqlite'))
    },
    args: [...run, '--checkpoint', 'c.sqlite'],
  },
  {
    title: 'a config that is missing',
    code: 'CONFIG_NOT_FOUND',
    says: /c\.json/,
    args: [...run, '--config', 'c.json'],
  },
  {
    title: 'a config that is not JSON',
    code: 'CONFIG_NOT_JSON',
    says: /c\.json/,
    prepare: write('c.json', '{ output: }'),
    args: [...run, '--config', 'c.json'],
  },
  {
    title: 'a config with an unknown key',
    code: 'CONFIG_INVALID',
    says: /"output\.pth"/,
    prepare: write('pipeline.config.json', '{"output":{"pth":"out.csv"}}'),
  },
  {
    title: 'a config with a key that should not be in it',
    code: 'CONFIG_INVALID',
    says: /ENRICH_API_KEY/,
    prepare: write('pipeline.config.json', '{"apiKey":"not here"}'),
  },
  {
    title: 'a config with a wrong type',
    code: 'CONFIG_INVALID',
    says: /"budget\.lookupsMax"/,
    prepare: write('pipeline.config.json', '{"budget":{"lookupsMax":"many"}}'),
  },
  { title: 'no API key', code: 'API_KEY_MISSING', says: /ENRICH_API_KEY/, env: { ENRICH_API_KEY: '' } },
  {
    title: 'an API key of two words',
    code: 'API_KEY_INVALID',
    says: /ENRICH_API_KEY/,
    env: { ENRICH_API_KEY: `${canary} ${canary}` },
  },
  {
    title: 'a base URL that is none',
    code: 'BASE_URL_INVALID',
    says: /https:\/\//,
    env: { ENRICH_BASE_URL: 'api.example.com' },
  },
  {
    title: 'a base URL that would send the key in the clear',
    code: 'BASE_URL_INVALID',
    says: /https/,
    env: { ENRICH_BASE_URL: 'http://api.example.com' },
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

function canMount(): boolean {
  const path = `/tmp/enrich-mount-${process.pid}`
  const unmount = mountDisk(path, 'size=64k')
  unmount?.()
  rmSync(path, { recursive: true, force: true })
  return unmount !== null
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
