import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createPlace } from '../support/cli.js'
import { bad, type BadCase, expectRefusal, run, write } from '../support/refusal.js'
import { canMount } from '../crash/small-disk.js'

const outputs: readonly BadCase[] = [
  bad('no output', 'OUTPUT_MISSING', /-o out\.parquet/, { args: ['in.csv'] }),
  bad('an output in a folder that does not exist', 'OUTPUT_UNWRITABLE', /mkdir -p nowhere/, {
    args: ['in.csv', '-o', 'nowhere/out.csv'],
  }),
  bad('an output that is a folder', 'OUTPUT_UNWRITABLE', /folder/, {
    args: ['in.csv', '-o', '.', '--format', 'csv'],
  }),
  bad('an output that is open already', 'OUTPUT_UNWRITABLE', /pass - /, {
    args: ['in.csv', '-o', '/dev/stdout', '--format', 'csv'],
  }),
  bad('an output without a format', 'OUTPUT_FORMAT_UNKNOWN', /\.parquet/, {
    args: ['in.csv', '-o', 'out.xls'],
  }),
  bad('an output that is the input', 'OUTPUT_IS_INPUT', /never overwritten/, {
    args: ['in.csv', '-o', './in.csv'],
  }),
  bad('an input that has a column of ours', 'OUTPUT_COLUMN_TAKEN', /--prefix/, {
    prepare: write('in.csv', 'name,enrich_status\nAcme,x\n'),
  }),
  bad('a column that there is not', 'OUTPUT_COLUMN_UNKNOWN', /confidence/, {
    args: [...run, '--columns', 'status,confidense'],
  }),
]

const surroundings: readonly BadCase[] = [
  bad('a checkpoint that is a text', 'CHECKPOINT_INVALID', /not changed/, {
    prepare: write('c.sqlite', 'not a database, but long enough to look at'),
    args: [...run, '--checkpoint', 'c.sqlite'],
  }),
  bad('a config with an unknown key', 'CONFIG_INVALID', /"output\.pth"/, {
    prepare: write('pipeline.config.json', '{"output":{"pth":"out.csv"}}'),
  }),
  bad('no API key', 'API_KEY_MISSING', /ENRICH_API_KEY/, { env: { ENRICH_API_KEY: '' } }),
  bad('a base URL that is none', 'BASE_URL_INVALID', /https:\/\//, {
    env: { ENRICH_BASE_URL: 'api.example.com' },
  }),
  bad('a registry that is missing', 'REGISTRY_NOT_FOUND', /r\.sqlite/, {
    args: [...run, '--registry', 'r.sqlite'],
    env: { ENRICH_BASE_URL: '' },
  }),
  bad('a registry that is none', 'REGISTRY_INVALID', /in\.csv/, {
    args: [...run, '--registry', 'in.csv'],
    env: { ENRICH_BASE_URL: '' },
  }),
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
