import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { userInfo } from 'node:os'

/** What a worker reaches by a link of its own. */
export type Link = 'postgres' | 'service'
/** Which packets get lost: those of the worker, those to it, or both. */
export type Direction = 'from' | 'to' | 'both'

/** Of this rig alone: addresses that are taken to be this machine's, so that nobody asks for certificates. */
export const addressOf: Readonly<Record<Link, string>> = { postgres: '127.77.0.1', service: '127.88.0.1' }
export const links = ['postgres', 'service'] as const

/** Of a command that cannot do what it is for here. */
export const exitWithoutNamespaces = 77

/** Nobody has it: what is sent there is dropped, and nobody is told. */
const nobody = '02:00:00:00:00:ff'
const marker = 'ENRICH_CHAOS_IS_APART'

/** Why there are no namespaces here; null where there are. */
export function whyNoNamespaces(): string | null {
  if (process.platform !== 'linux') return 'network namespaces are of Linux'
  if (userInfo().uid !== 0) return 'network namespaces need root'
  for (const program of ['unshare', 'nsenter', 'ip', 'sysctl'])
    if (spawnSync(program, ['--version']).error !== undefined) return `there is no ${program} here`
  const tried = spawnSync('unshare', ['-n', 'ip', 'link', 'add', 'tried', 'type', 'veth'], {
    encoding: 'utf8',
  })
  return tried.status === 0 ? null : `no network namespace can be made: ${tried.stderr.trim()}`
}

/** Runs this same command in a network of its own, which nothing leads into. Null: it is in it already. */
export function runApart(): number | null {
  if (process.env[marker] !== undefined) {
    prepareLoopback()
    return null
  }
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const env = { ...process.env, [marker]: '1' }
  return spawnSync('unshare', ['-n', ...command], { stdio: 'inherit', env }).status ?? 1
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe', encoding: 'utf8' })
const loopbackIsRouted = [
  '-qw',
  'net.ipv4.conf.all.route_localnet=1',
  'net.ipv4.conf.default.route_localnet=1',
]

/** Loopback has single addresses here: the others are of links. */
function prepareLoopback(): void {
  ip('link', 'set', 'lo', 'up')
  spawnSync('ip', ['addr', 'del', '127.0.0.1/8', 'dev', 'lo'])
  for (const address of ['127.0.0.1', ...Object.values(addressOf)])
    ip('addr', 'add', `${address}/32`, 'dev', 'lo', 'scope', 'global')
  execFileSync('sysctl', loopbackIsRouted)
}

interface Ends {
  /** Of the link at this end and at the worker's: name of the interface, its address, and that of its hardware. */
  readonly here: { name: string; address: string; hardware: string }
  readonly there: { name: string; address: string; hardware: string }
}

/** The network of one worker: a link to PostgreSQL, and one to the service. It is gone with this process. */
export class WorkerNetwork {
  readonly #holder: ChildProcess
  readonly #ends: Readonly<Record<Link, Ends>>

  constructor(index: number) {
    // It ends when nobody holds its input any more, and its namespace with it.
    this.#holder = spawn('unshare', ['-n', 'cat'], { stdio: ['pipe', 'ignore', 'inherit'] })
    while (!this.#isApart());
    execFileSync('nsenter', [...this.#target(), 'sysctl', ...loopbackIsRouted])
    this.#ends = { postgres: this.#connect('postgres', index), service: this.#connect('service', index) }
  }

  /** What a command begins with that runs in it. */
  get entry(): string[] {
    return ['nsenter', ...this.#target()]
  }

  /** Packets are dropped silently until it is healed. */
  cut(link: Link, direction: Direction): void {
    if (direction !== 'to') this.#point(link, 'there', nobody)
    if (direction !== 'from') this.#point(link, 'here', nobody)
  }

  heal(link: Link): void {
    const { here, there } = this.#ends[link]
    this.#point(link, 'there', here.hardware)
    this.#point(link, 'here', there.hardware)
  }

  close(): void {
    this.#holder.kill('SIGKILL')
  }

  #target(): string[] {
    return ['-t', String(this.#holder.pid), '-n']
  }

  #isApart(): boolean {
    const networkOf = (pid: number | undefined) => readlinkSync(`/proc/${String(pid)}/ns/net`)
    return networkOf(this.#holder.pid) !== networkOf(process.pid)
  }

  #there(...args: string[]): string {
    return execFileSync('nsenter', [...this.#target(), 'ip', ...args], { stdio: 'pipe', encoding: 'utf8' })
  }

  #connect(link: Link, index: number): Ends {
    const base = addressOf[link].split('.').slice(0, 2).join('.')
    const here = { name: `${link}${index}`, address: `${base}.${index + 1}.1` }
    const there = { name: link, address: `${base}.${index + 1}.2` }
    const pid = String(this.#holder.pid)
    ip('link', 'add', here.name, 'type', 'veth', 'peer', 'name', there.name, 'netns', pid)
    ip('addr', 'add', `${here.address}/30`, 'dev', here.name, 'scope', 'global')
    ip('link', 'set', here.name, 'up')
    this.#there('addr', 'add', `${there.address}/30`, 'dev', there.name, 'scope', 'global')
    this.#there('link', 'set', there.name, 'up')
    this.#there(
      'route',
      'add',
      `${addressOf[link]}/32`,
      'via',
      here.address,
      'dev',
      there.name,
      'src',
      there.address,
    )
    return {
      here: { ...here, hardware: hardwareOf(ip('-o', 'link', 'show', here.name)) },
      there: { ...there, hardware: hardwareOf(this.#there('-o', 'link', 'show', there.name)) },
    }
  }

  /** Where one end of a link sends what is for the other. */
  #point(link: Link, from: keyof Ends, hardware: string): void {
    const ends = this.#ends[link]
    const other = from === 'here' ? ends.there : ends.here
    const args = [
      'neigh',
      'replace',
      other.address,
      'lladdr',
      hardware,
      'dev',
      ends[from].name,
      'nud',
      'permanent',
    ]
    if (from === 'here') ip(...args)
    else this.#there(...args)
  }
}

const hardwareOf = (shown: string): string => /link\/ether ([0-9a-f:]+)/.exec(shown)?.[1] ?? ''
