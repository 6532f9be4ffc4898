import { spawn } from 'node:child_process'

/** What opens an address in the user's browser. */
function opener(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open']
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}

/** Opens an address, where there is anything to open it with; it was printed too, so it is no matter where there is not. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [command, ...args] = opener(platform)
  const child = spawn(command, [...args, url], { shell: false, stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
