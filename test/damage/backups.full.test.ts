import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { canMount } from '../crash/small-disk.js'
import { hasProgram, tellSkipped } from '../support/skipped.js'
import { checkpointOf, enrich, startMeteredService, writeInput, type MeteredService } from './states.js'
import { namesOf } from './trial.js'
import { makeFolder } from '../support/temporary-folder.js'

/** How to back up the folder `.enrich`, and how to restore it over the same files. */
interface Backup {
  save: string
  restore: string
}

const backups: Record<string, Backup> = {
  cp: { save: 'cp -a .enrich backup-cp', restore: 'cp -a backup-cp/. .enrich' },
  'cp without times': { save: 'cp -r .enrich backup-plain', restore: 'cp -r backup-plain/. .enrich' },
  // 1: a file changed while it was read, as in a run that goes on.
  tar: { save: 'tar -cf backup.tar .enrich || [ $? = 1 ]', restore: 'tar -xf backup.tar' },
  'tar over the same files': {
    save: 'tar -cf backup-over.tar .enrich || [ $? = 1 ]',
    restore: 'tar --overwrite -xf backup-over.tar',
  },
  ...(hasProgram('rsync')
    ? {
        rsync: { save: 'rsync -a .enrich/ backup-rsync', restore: 'rsync -a --delete backup-rsync/ .enrich' },
        'rsync in place': {
          save: 'rsync -a .enrich/ backup-in-place',
          restore: 'rsync -a --inplace --delete backup-in-place/ .enrich',
        },
      }
    : {}),
}

const names = namesOf(24)
const run = ['in.csv', '-o', 'out.csv', '--quiet']
const base = makeFolder()

const shell = (folder: string, command: string) =>
  execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'pipe' })

/** A job in a folder of its own, whose backups are taken by `save` at some moment. */
class Job {
  readonly folder: string

  constructor(
    private readonly service: MeteredService,
    private readonly stateFolder: string,
    folder = mkdtempSync(join(base, 'job-')),
  ) {
    this.folder = folder
    writeInput(folder, names)
  }

  enrich(args: readonly string[], kill?: Parameters<typeof enrich>[3]) {
    return enrich(this.folder, this.service.url, args, kill, this.stateFolder)
  }

  /** Runs until the moment of the backup, takes it, and runs to the end. */
  async saveAt(moment: Moment, save: (folder: string) => void): Promise<void> {
    let savedCount = 0
    await moments[moment](this, this.service, () => {
      save(this.folder)
      savedCount = this.service.ledger.length
    })
    this.service.onRequest = () => undefined
    await this.enrich(run)
    expect(this.service.ledger.length).toBeGreaterThan(savedCount)
  }

  /** The same command after a restore: it refuses, or bills nothing twice. Returns what it printed. */
  async isHonest(): Promise<{ isTold: boolean; stderr: string }> {
    const { code, stderr } = await this.enrich(run)
    const charged = this.service.ledger.map(({ name }) => name)
    expect(charged, stderr).toHaveLength(new Set(charged).size)
    return { isTold: code === 2 && /CHECKPOINT_(BEHIND|COPIED)/.test(stderr), stderr }
  }
}

/** State of the run when its checkpoint is backed up. */
type Moment = 'a clean end' | 'a kill' | 'Ctrl-C' | 'a hang-up' | 'no end: while it runs'

const endBy = (signal: NodeJS.Signals) => async (job: Job, service: MeteredService, save: () => void) => {
  await job.enrich(run, (end) => {
    service.onRequest = (count) => {
      if (count === 20) end(signal)
    }
  })
  save()
}

const moments: Record<Moment, (job: Job, service: MeteredService, save: () => void) => Promise<void>> = {
  'a clean end': async (job, _, save) => {
    await job.enrich([...run, '--max-lookups', '8'])
    save()
  },
  'a kill': endBy('SIGKILL'),
  'Ctrl-C': endBy('SIGINT'),
  'a hang-up': endBy('SIGHUP'),
  'no end: while it runs': async (job, service, save) => {
    await job.enrich(run, () => {
      service.onRequest = (count) => {
        if (count === 20) save()
      }
    })
  },
}

async function withService(act: (service: MeteredService) => Promise<void>): Promise<void> {
  const service = await startMeteredService()
  try {
    await act(service)
  } finally {
    await service.close()
  }
}

/** Each way is tried after at least one moment, and after each moment at least two. */
const trials = (Object.keys(moments) as Moment[]).map((moment, index) => {
  const ways = Object.entries(backups)
  const half = ways.length / 2
  return { moment, ways: ways.filter((_, number) => number % half === index % half) }
})

test.each(trials)(
  'a backup taken after $moment, restored over the same files, is reported, or bills nothing twice',
  ({ moment, ways }) =>
    withService(async (service) => {
      const job = new Job(service, mkdtempSync(join(base, 'state-')))
      await job.saveAt(moment, (folder) => {
        for (const [, { save }] of ways) shell(folder, save)
      })
      for (const [way, { restore }] of ways) {
        shell(job.folder, restore)
        expect([way, (await job.isHonest()).isTold]).toEqual([way, true])
      }
    }),
)

test.each<Moment>(['a clean end', 'a kill'])(
  'after %s, a backup of hard links bills nothing twice',
  (moment) =>
    withService(async (service) => {
      const job = new Job(service, mkdtempSync(join(base, 'state-')))
      await moments[moment](job, service, () => {
        shell(job.folder, 'cp -al .enrich backup-links')
      })
      service.onRequest = () => undefined
      await job.isHonest()
      shell(job.folder, 'rm -r .enrich && cp -a backup-links .enrich')
      await job.isHonest()
    }),
)

test('without the folder of the user, a backup taken after a kill is recognized by the time of the change', () =>
  withService(async (service) => {
    const noFolder = join(mkdtempSync(join(base, 'state-')), 'file')
    writeFileSync(noFolder, '')
    const job = new Job(service, noFolder)
    await job.saveAt('a kill', (folder) => {
      shell(folder, backups['cp']!.save)
    })
    const killedAtMs = statSync(join(job.folder, 'backup-cp', 'checkpoint.sqlite.head')).mtimeMs
    await sleep(Math.max(0, killedAtMs + 3_000 - Date.now()))
    shell(job.folder, backups['cp']!.restore)
    expect(await job.isHonest()).toMatchObject({
      isTold: true,
      stderr: expect.stringMatching(/restored from a copy.*reconcile LEDGER\.csv/s),
    })
  }))

test('a killed run with unchanged files resumes, with and without the folder of the user', () =>
  withService(async (service) => {
    for (const stateFolder of [mkdtempSync(join(base, 'state-')), '/dev/null']) {
      service.ledger = []
      const job = new Job(service, stateFolder)
      await endBy('SIGKILL')(job, service, () => undefined)
      service.onRequest = () => undefined
      const { stderr } = await job.enrich(run)
      expect(stderr).not.toContain('CHECKPOINT_')
      expect(existsSync(join(job.folder, 'out.csv'))).toBe(true)
    }
  }))

test('the list of charges settles a checkpoint that was restored', () =>
  withService(async (service) => {
    const job = new Job(service, mkdtempSync(join(base, 'state-')))
    await job.saveAt('a kill', (folder) => {
      shell(folder, backups['cp']!.save)
    })
    shell(job.folder, backups['cp']!.restore)
    writeFileSync(
      join(job.folder, 'ledger.csv'),
      `custom_id,run_id\n${service.ledger.map(({ customId, runId }) => `${customId},${runId}\n`).join('')}`,
    )
    await job.enrich(['reconcile', 'ledger.csv'])
    const { isTold } = await job.isHonest()
    expect(isTold).toBe(false)
    expect(existsSync(checkpointOf(job.folder))).toBe(true)
  }))

const isMountable = canMount()
if (!isMountable) tellSkipped('mounting is not permitted here')
test.runIf(isMountable)(
  'a snapshot of the file system that is put back is recognized by the folder of the user',
  () =>
    withService(async (service) => {
      const image = join(base, 'disk.img')
      const folder = join(base, 'disk')
      mkdirSync(folder)
      const mount = () => shell(base, 'mount -o loop disk.img disk')
      const unmount = () => shell(base, 'umount disk')
      shell(base, `truncate -s 64M ${image} && mkfs.ext4 -q ${image}`)
      mount()
      try {
        const job = new Job(service, mkdtempSync(join(base, 'state-')), folder)
        await job.saveAt('a kill', () => {
          unmount()
          shell(base, 'cp disk.img snapshot.img')
          mount()
        })
        unmount()
        shell(base, 'cp snapshot.img disk.img')
        mount()
        expect(await job.isHonest()).toMatchObject({ isTold: true })
      } finally {
        unmount()
      }
    }),
)
