import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { mayUseServers, tellSkipped } from './skipped.js'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where a Chromium is on this machine; null, and said loudly, where there is none. */
export function findBrowser(): string | null {
  if (!mayUseServers()) return null
  const found = [...places, chromium.executablePath()].find((place) => existsSync(place)) ?? null
  if (found === null) {
    tellSkipped(
      `there is no Chromium on this machine (looked at ${places.join(', ')}), so no page is looked at`,
    )
  }
  return found
}

const sharedVariable = 'TEST_BROWSER'
// In a container it has no sandbox of its own.
const args = ['--no-sandbox', '--disable-gpu']

/** Starts the browser that `openBrowser` gives from then on, in this process and in those that it starts. */
export async function startSharedBrowser(executablePath: string): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath, args })
  process.env[sharedVariable] = server.wsEndpoint()
  return () => server.close()
}

/** The browser that all tests share, or one of its own where none was started. Closing it closes its own pages. */
export function openBrowser(executablePath: string): Promise<Browser> {
  const shared = process.env[sharedVariable]
  return shared === undefined ? chromium.launch({ executablePath, args }) : chromium.connect(shared)
}

/** A browser in a process that can be killed. */
export async function openMortalBrowser(
  executablePath: string,
): Promise<{ browser: Browser; kill: () => void }> {
  const server = await chromium.launchServer({ executablePath, args })
  const browser = await chromium.connect(server.wsEndpoint())
  return {
    browser,
    kill: () => {
      server.process().kill('SIGKILL')
    },
  }
}
