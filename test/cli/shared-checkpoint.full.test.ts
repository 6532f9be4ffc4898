import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPlace, type CliPlace } from '../support/cli.js'
import { findPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.js'

const programs = findPostgres() ?? ''
const password = 'canary-of-postgres-4711'

describe.skipIf(programs === '')('--checkpoint postgres://…', () => {
  let server: PostgresServer
  let databaseCount = 0
  let url = ''
  let database = ''

  beforeAll(async () => {
    server = await startPostgres(programs, { auth: 'scram-sha-256' })
    server.sql(`CREATE ROLE worker LOGIN PASSWORD '${password}'`)
  })
  beforeEach(() => {
    database = `checkpoint_${++databaseCount}`
    server.sql(`CREATE DATABASE ${database} OWNER worker`)
    url = server.url({ user: 'worker', database })
  })
  afterAll(() => server.stop())

  const env = { PGPASSWORD: password }
  const companies = (place: CliPlace) =>
    place.write('companies.csv', 'name,city\nSiemens AG,München\nBASF SE,Ludwigshafen\n,\n')
  const isMade = () =>
    server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'enrich'", database) === '1'

  test.each(['checkpoint repair', 'checkpoint compact'])(
    'what needs a file says so before anything is opened: %s',
    async (typed) => {
      const place = createPlace()
      companies(place)
      place.write('ledger.csv', 'custom_id\n')
      const { code, stderr } = await place.run([...typed.split(' '), '--checkpoint', url], { env })
      expect(stderr).toContain('error CHECKPOINT_SHARED_UNSUPPORTED: ')
      expect(stderr).toContain('hint: ')
      expect(code).toBe(2)
      expect(isMade()).toBe(false)
      expect(place.names().filter((name) => !['companies.csv', 'ledger.csv'].includes(name))).toEqual([])
    },
  )

  test.each(['status', 'plan companies.csv', 'companies.csv -o out.csv'])(
    'a URL with a password is refused, and not repeated: %s',
    async (command) => {
      const place = createPlace()
      companies(place)
      const withPassword = url.replace('worker@', `worker:${password}@`)
      for (const given of [withPassword, `${url}?password=${password}`]) {
        const { code, stdout, stderr } = await place.run([
          ...command.split(' '),
          '--checkpoint',
          given,
          '--json',
        ])
        expect(stderr).toContain('error CHECKPOINT_URL_HAS_PASSWORD: ')
        expect(stdout + stderr).not.toContain(password)
        expect(code).toBe(2)
      }
    },
  )

  test('a URL with something wrong is refused without being repeated', async () => {
    const place = createPlace()
    const wrong = [
      ['postgres://worker:p@ss/word@host/db', 'CHECKPOINT_URL_HAS_PASSWORD'],
      ['postgres://worker@host', 'CHECKPOINT_URL_INVALID'],
      ['postgres://one:5432,two:5432/db', 'CHECKPOINT_URL_INVALID'],
      ['postgres://host/db?sslmode=disable', 'CHECKPOINT_TLS_REQUIRED'],
      ['postgres://host/db?sslmode=odd', 'CHECKPOINT_URL_INVALID'],
      ['postgres://host/db?options=-c%20a', 'CHECKPOINT_URL_INVALID'],
      ['mysql://host/db', 'PATH_IS_ADDRESS'],
    ] as const
    for (const [given, expected] of wrong) {
      const { code, stderr } = await place.run(['status', '--checkpoint', given])
      expect(stderr).toContain(`error ${expected}: `)
      expect(stderr).not.toMatch(/p@ss|word@|one:5432|options=/)
      expect(code).toBe(2)
    }
  })

  test('status of none says how one is made, and makes none', async () => {
    const { code, stderr } = await createPlace().run(['status', '--checkpoint', url], { env })
    expect(stderr).toContain('error CHECKPOINT_NOT_FOUND: ')
    expect(code).toBe(2)
    expect(isMade()).toBe(false)
  })

  test('a run, named in the config, is resumed from another folder, and status knows its process', async () => {
    const place = createPlace()
    companies(place)
    place.write('pipeline.config.json', JSON.stringify({ checkpoint: { path: url } }))
    const first = await place.run(['companies.csv', '-o', 'out.csv'], { env })
    expect(first.code, first.stderr).toBe(0)
    const other = createPlace()
    companies(other)
    const again = await other.run(['companies.csv', '-o', 'out.csv', '--checkpoint', url], { env })
    expect(again.code, again.stderr).toBe(0)
    expect(other.read('out.csv')).toBe(place.read('out.csv'))
    expect(server.sql('SELECT count(*) FROM enrich.submissions', database)).toBe('2')

    const plan = await other.run(['plan', 'companies.csv', '--checkpoint', url, '--json'], { env })
    expect(JSON.parse(plan.stdout)).toMatchObject({ plan: { submit: 0, answered: 2 }, billedMax: 0 })
    const exported = await other.run(['export', 'companies.csv', '-o', 'again.csv', '--checkpoint', url], {
      env,
    })
    expect(exported.code, exported.stderr).toBe(0)
    expect(other.read('again.csv')).toBe(place.read('out.csv'))
    expect(readdirSync(other.temporaryFolder)).toEqual([])

    const shown = await place.run(['status'], { env })
    expect(shown.stdout).toMatch(/2 {2}answered/)
    expect(shown.stdout).toMatch(/Processes:\n {2}2 {2}\S+ \d+ {2}ended/)
    const { stdout } = await other.run(['status', '--checkpoint', url, '--json', '--uncertain'], { env })
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'status',
      path: url,
      scopes: [{ kind: 'resolution', submissions: 2, states: { answered: 2 } }],
      workers: [{ state: 'ended' }, { state: 'ended' }],
      uncertain: [],
      problem: null,
    })
    for (const one of [place, other]) expect(filesHolding(password, one.folder)).toEqual([])
    expect([first, again, shown].map((one) => one.stdout + one.stderr).join('')).not.toContain(password)
  })

  test('a checkpoint is moved to it and back by the command, and the run there asks nothing again', async () => {
    const place = createPlace()
    companies(place)
    const first = await place.run(['companies.csv', '-o', 'out.csv', '--checkpoint', 'a.sqlite'], { env })
    expect(first.code, first.stderr).toBe(0)
    const moved = await place.run(['checkpoint', 'migrate', 'a.sqlite', url], { env })
    expect(moved.code, moved.stderr).toBe(0)
    expect(moved.stdout).toContain(`is moved to ${url}, and is no longer used`)
    expect(moved.stdout).toContain('moved and compared: 2 lookups, 2 submissions, 2 answers, 0 webhooks')
    for (const typed of [
      'companies.csv -o out.csv',
      'status',
      'checkpoint verify',
      'receive --webhook-listen 127.0.0.1:0',
    ]) {
      const old = await place.run([...typed.split(' '), '--checkpoint', 'a.sqlite'], {
        env: { ...env, ENRICH_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
      })
      expect(old.stderr).toContain('error CHECKPOINT_MOVED: ')
      expect(old.stderr).toContain(new URL(url).pathname)
      expect(old.code).toBe(2)
    }
    const verified = await place.run(['checkpoint', 'verify', '--checkpoint', url], { env })
    expect(verified.stdout).toBe(`${url} is undamaged.\n`)
    const plan = await place.run(['plan', 'companies.csv', '--checkpoint', url, '--json'], { env })
    expect(JSON.parse(plan.stdout)).toMatchObject({ plan: { submit: 0, answered: 2 } })
    const again = await place.run(['checkpoint', 'migrate', 'a.sqlite', url], { env })
    expect(again.stdout).toContain('was moved to')
    const back = await place.run(['checkpoint', 'migrate', url, 'b.sqlite', '--json'], { env })
    expect(JSON.parse(back.stdout)).toMatchObject({ type: 'migration', counts: { lookups: 2, answers: 2 } })
    const sound = await place.run(['checkpoint', 'verify', '--checkpoint', 'b.sqlite'], { env })
    expect(sound.stdout).toContain('is undamaged')
    const undone = await place.run(['checkpoint', 'migrate', url, 'b.sqlite', '--undo'], { env })
    expect(undone.code, undone.stderr).toBe(0)
    const there = await place.run(['status', '--checkpoint', url], { env })
    expect(there.stdout).toMatch(/2 {2}answered/)
    const ofMoves = [moved, again, back, undone, there].map((one) => one.stdout + one.stderr).join('')
    expect(ofMoves).not.toContain(password)
    expect(filesHolding(password, place.folder)).toEqual([])
  })

  test('doctor says whether it is fit to be shared', async () => {
    const place = createPlace()
    const fit = await place.run(['doctor', '--checkpoint', url], { env })
    expect(fit.stdout + fit.stderr).toContain('can be shared')
    const wrong = await place.run(['doctor', '--checkpoint', url], { env: { PGPASSWORD: 'wrong' } })
    expect(wrong.stdout + wrong.stderr).toContain('refuses the user or the password')
  })
})

function filesHolding(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name)
    return statSync(path).isFile() && readFileSync(path).includes(text)
  })
}
