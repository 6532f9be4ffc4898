import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { tellSkipped } from './skipped.js'

/** It has hundreds of packages, so it is not a dependency. */
const azuriteVersion = '3.35.0'

/** Returns the folder of an installed package, in a cache that stays; null if the registry cannot be had. */
function fetchAzurite(): string | null {
  const folder = join(tmpdir(), `enrich-azurite-${azuriteVersion}`)
  const installed = join(folder, 'node_modules/azurite')
  if (existsSync(join(folder, 'complete'))) return installed
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts']
  const { status } = spawnSync('npm', [...args, `azurite@${azuriteVersion}`], { stdio: 'ignore' })
  if (status !== 0) return null
  spawnSync('touch', [join(folder, 'complete')])
  return installed
}

export interface Azurite {
  readonly port: number
  close(): void
}

/** Starts Microsoft's emulator of Azure Blob Storage; null, and a line of output, if it cannot be had. */
export async function startAzurite(account: string, key: string): Promise<Azurite | null> {
  const installed = fetchAzurite()
  if (installed === null) {
    tellSkipped(`azurite@${azuriteVersion} cannot be installed from the npm registry`)
    return null
  }
  const folder = mkdtempSync(join(tmpdir(), 'enrich-azurite-data-'))
  const args = ['--blobHost', '127.0.0.1', '--blobPort', '0', '--location', folder, '--disableTelemetry']
  const child = spawn(process.execPath, [join(installed, 'dist/src/blob/main.js'), ...args, '--silent'], {
    env: { ...process.env, AZURITE_ACCOUNTS: `${account}:${key}` },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const close = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', close)
  for await (const line of createInterface(child.stdout)) {
    const [, port] = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(line) ?? []
    if (port !== undefined) return { port: Number(port), close }
  }
  throw new Error('azurite ended early')
}
