import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTemporaryFolder } from '../../platform/files.js'
import { html, renderPage } from '../../web/html.js'

const folderPrefix = 'enrich-review-'

/** Returns the platform's command that opens a file in the user's browser. */
function getOpenerCommand(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open']
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}

/**
 * Opens an address that contains a secret in the user's browser. Every user of the machine can read the arguments of a
 * process, so the browser opens a file that only this user can read, and that redirects to the address. Returns a
 * function that removes the file. Without a browser nothing happens. Throws a system error if no folder is writable.
 */
export function openSecretAddress(url: string, platform: NodeJS.Platform = process.platform): () => void {
  const folder = createPrivateFolder()
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
  }
  const path = join(folder, 'open.html')
  try {
    writeFileSync(path, redirectPage(url), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    remove()
    throw error
  }
  const [command, ...args] = getOpenerCommand(platform)
  const child = spawn(command, [...args, path], { shell: false, stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  return remove
}

/**
 * Creates a folder in the home folder, without a leading dot: browsers installed as a snap or a flatpak can read neither
 * hidden folders nor the temporary folder. Without a home folder, the temporary folder is used.
 */
function createPrivateFolder(): string {
  try {
    return createTemporaryFolder(homedir(), folderPrefix)
  } catch {
    return createTemporaryFolder(tmpdir(), folderPrefix)
  }
}

const redirectPage = (url: string): string =>
  renderPage({
    title: 'Opening the review page',
    head: html`<meta name="color-scheme" content="light dark" />
      <meta http-equiv="refresh" content="0; url=${url}" />`,
    body: html`<body>
      <p><a href="${url}">Open the review page</a></p>
    </body>`,
  })
