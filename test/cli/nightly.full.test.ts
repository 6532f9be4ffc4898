import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, type TestContext } from 'vitest'
import { exitCodes } from '../../src/core/errors.js'
import { companiesCsv, createPlace, mainPath, quickConfig, type CliPlace } from '../support/cli.js'
import { readCodeBlocks } from '../support/documents.js'
import { strangeMatch, startStrangeService, type StrangeServiceOptions } from '../support/strange-service.js'
import { hasProgram, tellSkipped } from '../support/skipped.js'

/** What the recipes for one machine type, taken from them and from their page, and run as cron and containers run it. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/manual/nightly-jobs.md'), 'utf8')
const example = (name: string) => readFileSync(join(root, 'examples', name), 'utf8')

const blocks = readCodeBlocks(page)
/** Text of the first block of code of a language below a heading. */
const codeBelow = (heading: string, language: string): string =>
  blocks.find((block) => block.heading === heading && block.language === language)?.text ??
  `no ${language} below ${heading}`

/** Codes after which another try, or the next night alone, is of no use. */
const permanent = Object.keys(exitCodes)
  .map(Number)
  .filter((code) => ![0, 3, 5, 130, 143].includes(code))

const key = 'key-of-the-nightly-tests'
const serves = {
  apiKey: key,
  answers: { Acme: strangeMatch('Acme SE'), Bolt: strangeMatch('Bolt SE'), Cargo: strangeMatch('Cargo SE') },
} as const
const lost: StrangeServiceOptions = {
  ...serves,
  faults: ({ method, body }) =>
    method === 'POST' && body.includes('"Lost"') ? 'accept_then_reset' : undefined,
}
const names = ['Acme', 'Bolt', 'Cargo', 'Lost']

interface Ended {
  readonly code: number | null
  readonly said: string
}

/** As `npm install -g --prefix ~/.local` lays it out, with the Node.js of this test. */
function installBelow(home: string): void {
  mkdirSync(join(home, '.local/bin'), { recursive: true })
  mkdirSync(join(home, '.local/lib/node_modules'), { recursive: true })
  chmodSync(mainPath, 0o755)
  symlinkSync(mainPath, join(home, '.local/bin/enrich'))
  symlinkSync(process.execPath, join(home, '.local/bin/node'))
  symlinkSync(root, join(home, '.local/lib/node_modules/enrich'))
}

/** In an environment that has nothing but what is given; the process is handed over once it runs. */
async function runBare(
  script: string,
  { cwd, env, stdin = '' }: { cwd: string; env: Record<string, string>; stdin?: string },
  onStart: (kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn('/bin/sh', ['-c', script], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  onStart((signal) => child.kill(signal))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  // A script that reads nothing may have ended before the write.
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

async function startService(
  options: StrangeServiceOptions,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
) {
  const service = await startStrangeService(options)
  onTestFinished(() => service.close())
  return service
}

describe.concurrent('the recipe for cron, as it is typed', () => {
  /** All that cron gives a job. */
  const cronEnvironment = (home: string) => ({
    HOME: home,
    LOGNAME: 'user',
    SHELL: '/bin/sh',
    PATH: '/usr/bin:/bin',
  })

  async function runNightly(
    context: TestContext,
    service: StrangeServiceOptions | null,
  ): Promise<Ended & { crm: string }> {
    const place = createPlace(context.onTestFinished)
    const home = place.folder
    installBelow(home)
    const ofCron = blocks.filter(({ heading, language }) => heading === 'cron' && language === 'sh')
    const [installed = '', keyStored = ''] = ofCron.map(({ text }) => text)
    const [install = '', ...copied] = installed.split('\n')
    expect(install).toMatch(/^npm install -g --prefix "\$HOME\/\.local" /)
    const setUp = service === null ? copied : [...copied, keyStored]
    const env = cronEnvironment(home)
    expect(await runBare(setUp.join('\n'), { cwd: home, env, stdin: `${key}\n` })).toEqual({
      code: 0,
      said: '',
    })
    const crm = join(home, 'crm')
    writeFileSync(join(crm, 'companies.csv'), companiesCsv(service === null ? ['Apple Inc'] : names))
    if (service !== null) {
      const { baseUrl } = await startService(service, context)
      writeFileSync(
        join(crm, 'pipeline.config.json'),
        JSON.stringify({ ...quickConfig, service: { baseUrl } }),
      )
    }
    const lines = blocks.filter(({ heading }) => heading === 'cron').map(({ text }) => text)
    const [command = 'no line for crontab'] = lines.flatMap(
      (text) => /^(?:[\d*]+ ){5}(.*)\n$/.exec(text)?.[1] ?? [],
    )
    return { ...(await runBare(command, { cwd: home, env })), crm }
  }

  test('writes the output and prints nothing, with the embedded service', async (context) => {
    const { code, said, crm } = await runNightly(context, null)
    expect([code, said]).toEqual([0, ''])
    expect(readFileSync(join(crm, 'out.parquet')).subarray(0, 4).toString()).toBe('PAR1')
  })

  test('reads the key from its file, and ends well where some rows need a look', async (context) => {
    const { code, said, crm } = await runNightly(context, lost)
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^the output is written; some rows failed, .*\n$/),
    ])
    expect(existsSync(join(crm, 'out.parquet'))).toBe(true)
  })

  test('passes an alarm on', async (context) => {
    const { code, said } = await runNightly(context, { apiKey: key })
    expect([code, said]).toEqual([6, expect.stringContaining('a condition of --fail-on is met')])
  })
})

describe('the unit for systemd', () => {
  const files = ['enrich.service', 'enrich.timer', 'enrich-alarm.service']
  /** Text of a unit whose lines are not continued. */
  const readUnit = (name: string) => example(name).replace(/ \\\n +/g, ' ')
  const unit = readUnit('enrich.service')
  const readSettings = (text: string) =>
    new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const))
  const settings = readSettings(unit)

  test('runs as a user of its own in a folder of its own, 3 is a success, and only what may pass is tried again', () => {
    expect(Object.fromEntries(settings)).toMatchObject({
      User: 'enrich',
      StateDirectory: 'enrich enrich-state',
      WorkingDirectory: '%S/enrich',
      SuccessExitStatus: '3',
      Restart: 'on-failure',
    })
    expect(settings.get('RestartPreventExitStatus')?.split(' ').map(Number)).toEqual(permanent)
  })

  test('runs its command with nothing but the environment that it sets, and takes exit code 3 for a success', async (context) => {
    const place = createPlace(context.onTestFinished)
    const home = place.temporaryFolder
    installBelow(home)
    place.write('companies.csv', companiesCsv(names))
    place.write('pipeline.config.json', JSON.stringify(quickConfig))
    writeFileSync(join(home, 'key'), `${key}\n`)
    const { baseUrl } = await startService(lost, context)
    const variables = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(
      ([, name = '', value = '']) => [name, value.replace('%S', home).replace('%d', home)] as const,
    )
    const env = { ...Object.fromEntries(variables), ENRICH_BASE_URL: baseUrl }
    expect(Object.keys(env).sort()).toEqual(['ENRICH_API_KEY_FILE', 'ENRICH_BASE_URL', 'XDG_STATE_HOME'])
    const [program = '', ...args] = settings.get('ExecStart')?.replaceAll('%%', '%').split(' ') ?? []
    expect(program).toMatch(/\/enrich$/)
    const bin = join(home, '.local/bin')
    const ended = await runBare([join(bin, 'enrich'), ...args].join(' '), {
      cwd: place.folder,
      env: { ...env, PATH: `${bin}:/usr/bin:/bin` },
    })
    expect(String(ended.code), ended.said).toBe(settings.get('SuccessExitStatus'))
    expect(place.names()).toContain('out.parquet')
  })

  test('and its timer and its alarm are in their page', () => {
    const shown = blocks.filter(({ heading, language }) => heading === 'systemd' && language === 'ini')
    expect(shown.map(({ text }) => text)).toEqual(files.map(example))
  })

  test('names the alarm, which mails the exit code and the last lines of the log', async ({
    onTestFinished,
  }) => {
    const place = createPlace(onTestFinished)
    const alarm = settings.get('OnFailure') ?? ''
    expect(files).toContain(alarm)
    const write = (name: string, text: string) => {
      writeFileSync(join(place.folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    }
    write('journalctl', 'echo "log of $*"')
    write('mail', 'echo "$*"; cat')
    const command = readSettings(readUnit(alarm)).get('ExecStart')?.replaceAll('$$', '$') ?? ''
    for (const [variables, ending] of [
      [{ MONITOR_EXIT_STATUS: '6' }, '6'],
      [{}, 'an error'],
    ] as const) {
      const env = { PATH: `${place.folder}:/usr/bin:/bin`, ...variables }
      expect(await runBare(command, { cwd: place.folder, env })).toEqual({
        code: 0,
        said: `-s enrich ended with ${ending} root\nlog of -u enrich -n 30\n`,
      })
    }
  })

  test('and its timer have directives and specifiers that systemd knows, in the sections for them', () => {
    const texts = files.map(readUnit)
    const listed = texts.flatMap((text) =>
      text.split(/^(?=\[)/m).flatMap((part) => {
        const [, section = ''] = /^\[(\w+)\]\n/.exec(part) ?? []
        return [...part.matchAll(/^(\w+)=/gm)].map(([, name = '']) => `${section}.${name}`)
      }),
    )
    const lines = texts.join('').split('\n')
    expect(listed).toHaveLength(lines.filter((line) => !/^(?:#.*|\[\w+\]|)$/.test(line)).length)
    expect(listed.filter((name) => !knownDirectives.includes(name))).toEqual([])
    expect(new Set(unit.match(/%./g))).toEqual(new Set(['%S', '%d', '%%']))
  })

  const hasSystemd = hasProgram('systemd-analyze')
  test.skipIf(!hasSystemd)('is found sound by systemd, with its timer and its alarm', () => {
    const place = createPlace()
    for (const name of files) place.write(name, example(name))
    // Where the command is differs from machine to machine.
    place.write('enrich.service', example('enrich.service').replace(/(?<=^ExecStart=)\S+/m, '/bin/true'))
    const paths = files.map((name) => place.path(name))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...paths], {
      encoding: 'utf8',
    })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
  })

  test.skipIf(!hasSystemd)(
    'is installed by the commands of its page, with the key, and its timer is enabled',
    async () => {
      const place = createPlace()
      for (const name of files) place.write(name, example(name))
      place.write('key.txt', `${key}\n`)
      const machine = join(place.temporaryFolder, 'machine')
      const bin = join(place.temporaryFolder, 'bin')
      for (const folder of [join(machine, 'etc/systemd/system'), bin]) mkdirSync(folder, { recursive: true })
      writeFileSync(join(bin, 'sudo'), sudoStandIn, { mode: 0o755 })
      const commands = codeBelow('systemd', 'sh')
      const env = { PATH: `${bin}:/usr/bin:/bin`, MACHINE: machine }
      expect(await runBare(`set -e\n${commands}`, { cwd: place.folder, env })).toMatchObject({ code: 0 })
      const [, credential = ''] = settings.get('LoadCredential')?.split(':') ?? []
      expect(readFileSync(join(machine, credential), 'utf8')).toBe(`${key}\n`)
      expect(statSync(join(machine, credential)).mode & 0o777).toBe(0o600)
      const installed = join(machine, 'etc/systemd/system')
      for (const name of files) expect(readFileSync(join(installed, name), 'utf8')).toBe(example(name))
      expect(lstatSync(join(installed, 'timers.target.wants/enrich.timer')).isSymbolicLink()).toBe(true)
      const [state = ''] = settings.get('StateDirectory')?.split(' ') ?? []
      expect(readFileSync(join(machine, 'owners'), 'utf8')).toBe(
        `${settings.get('User') ?? ''} /var/lib/${state}\n`,
      )
      expect(readFileSync(join(machine, 'users'), 'utf8')).toBe(`-r ${settings.get('User') ?? ''}\n`)
    },
  )
})

const knownDirectives = [
  ...['Description', 'OnFailure', 'StartLimitIntervalSec', 'StartLimitBurst'].map((name) => `Unit.${name}`),
  'Timer.OnCalendar',
  'Timer.Persistent',
  'Install.WantedBy',
  ...[
    'Type',
    'User',
    'StateDirectory',
    'Environment',
    'WorkingDirectory',
    'LoadCredential',
    'ExecStart',
    'NoNewPrivileges',
    'PrivateTmp',
    'ProtectHome',
    'ProtectSystem',
    'SuccessExitStatus',
    'Restart',
    'RestartSec',
    'RestartPreventExitStatus',
    'TimeoutStopSec',
  ].map((name) => `Service.${name}`),
]

/** Works on the files below MACHINE instead of /. Users and running units are only recorded or looked up. */
const sudoStandIn = `#!/bin/sh
set -e
program=$1; shift
# There is no such user here.
if [ "$program $1 $2" = 'install -d -o' ]; then
  mkdir -p "$MACHINE$4"; echo "$3 $4" > "$MACHINE/owners"; exit
fi
case $program in
  useradd) echo "$*" >> "$MACHINE/users" ;;
  systemctl)
    if [ "$1" = start ]; then test -e "$MACHINE/etc/systemd/system/$2"
    else systemctl --root="$MACHINE" "$@"; fi ;;
  *)
    for argument; do
      shift
      case $argument in /etc/*) argument=$MACHINE$argument ;; esac
      set -- "$@" "$argument"
    done
    "$program" "$@" ;;
esac
`

describe.concurrent('the manifest for Kubernetes', () => {
  const manifest = example('kubernetes-cronjob.yaml')
  /** The script of the container. */
  const script = (/^( +)- \|\n((?:\1 {2}.*\n)+)/m.exec(manifest)?.[2] ?? '').replace(/^ +/gm, '')

  function prepared(
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    baseUrl: string,
  ): [CliPlace, Record<string, string>] {
    const place = createPlace(onTestFinished)
    installBelow(place.temporaryFolder)
    place.write('companies.csv', companiesCsv(names))
    place.write('pipeline.config.json', JSON.stringify(quickConfig))
    const keyPath = place.write('key', `${key}\n`)
    const bin = join(place.temporaryFolder, '.local/bin')
    return [place, { PATH: `${bin}:/usr/bin:/bin`, ENRICH_BASE_URL: baseUrl, ENRICH_API_KEY_FILE: keyPath }]
  }

  test.for<[code: number, what: string, service: StrangeServiceOptions]>([
    [0, 'a written output with rows that need a look', lost],
    [4, 'a key that is refused', { apiKey: 'another' }],
  ])('ends with %i after %s', async ([code, , options], context) => {
    const [place, env] = prepared(context, (await startService(options, context)).baseUrl)
    const ended = await runBare(script, { cwd: place.folder, env })
    expect([ended.code, existsSync(place.path('out.parquet'))]).toEqual([code, code === 0])
  })

  test('hands on that the pod is told to end, so that requests in flight are finished', async (context) => {
    let kill = (): void => undefined
    const { baseUrl } = await startService(
      {
        ...serves,
        runTakes: { ms: 600_000 },
        faults: () => {
          kill()
          // A second signal would end it at once.
          kill = () => undefined
          return undefined
        },
      },
      context,
    )
    const [place, env] = prepared(context, baseUrl)
    const ended = await runBare(script, { cwd: place.folder, env }, (signal) => {
      kill = () => {
        signal('SIGTERM')
      }
    })
    expect(ended).toEqual({
      code: 143,
      said: expect.stringContaining('Interrupted. All submitted lookups are recorded') as string,
    })
  })

  test('fails the job at once after codes that no other try would change, and counts others', () => {
    const [, list = ''] =
      /action: FailJob\n +onExitCodes: \{[^}]*operator: In, values: \[([\d, ]+)\]/.exec(manifest) ?? []
    expect(list.split(', ').map(Number)).toEqual(permanent)
    expect(manifest).toMatch(/restartPolicy: Never/)
  })

  const hasYaml = spawnSync('python3', ['-c', 'import yaml']).status === 0
  if (!hasYaml) tellSkipped('the manifests as YAML, since Python has no module yaml')

  test.skipIf(!hasYaml)('and the other manifests are YAML', () => {
    const paths = [
      'kubernetes-cronjob.yaml',
      'several-machines/kubernetes-indexed-job.yaml',
      'several-machines/kubernetes-collect.yaml',
    ].map((name) => join(root, 'examples', name))
    const check = 'import sys, yaml\nfor path in sys.argv[1:]: print(yaml.safe_load(open(path))["kind"])'
    const { stdout, stderr } = spawnSync('python3', ['-c', check, ...paths], { encoding: 'utf8' })
    expect([stdout, stderr]).toEqual(['CronJob\nJob\nJob\n', ''])
  })
})
