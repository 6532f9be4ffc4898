import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'
import { tellSkipped } from './skipped.js'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where a Chromium is on this machine; null, and said loudly, where there is none. */
export function findBrowser(): string | null {
  const found = [...places, chromium.executablePath()].find((place) => existsSync(place)) ?? null
  if (found === null) {
    tellSkipped(
      `there is no Chromium on this machine (looked at ${places.join(', ')}), so no page is looked at`,
    )
  }
  return found
}

export function openBrowser(executablePath: string): Promise<Browser> {
  // In a container it has no sandbox of its own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

/** A browser in a process that can be killed. */
export async function openMortalBrowser(
  executablePath: string,
): Promise<{ browser: Browser; kill: () => void }> {
  const server = await chromium.launchServer({ executablePath, args: ['--no-sandbox'] })
  const browser = await chromium.connect(server.wsEndpoint())
  return {
    browser,
    kill: () => {
      server.process().kill('SIGKILL')
    },
  }
}
