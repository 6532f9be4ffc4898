import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tellSkipped } from './skipped.js'

const places = [
  '/usr/bin/soffice',
  '/usr/bin/libreoffice',
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
]

/** Where a LibreOffice is on this machine; null, and said loudly, where there is none. */
export function findOffice(): string | null {
  const found = places.find((place) => existsSync(place)) ?? null
  if (found === null) {
    tellSkipped(
      `there is no LibreOffice on this machine (looked at ${places.join(', ')}), so no sheet is opened in it`,
    )
  }
  return found
}

/** What LibreOffice makes of a file, in a folder of its own within `folder`; the paths of it. */
function converted(office: string, path: string, to: string, folder: string): string[] {
  const outFolder = mkdtempSync(join(folder, 'office-'))
  execFileSync(
    office,
    [
      `-env:UserInstallation=file://${join(folder, 'profile')}`,
      '--headless',
      '--convert-to',
      to,
      '--outdir',
      outFolder,
      path,
    ],
    { stdio: 'pipe', timeout: 180_000 },
  )
  return readdirSync(outFolder).map((name) => join(outFolder, name))
}

/** Saves a file anew as .xlsx. */
export function savedByOffice(office: string, path: string, folder: string): string {
  return converted(office, path, 'xlsx:Calc MS Excel 2007 XML', folder)[0] ?? ''
}

/** The sheets of a file by name, as CSV of what is seen in them. */
export function seenInOffice(office: string, path: string, folder: string): Map<string, string> {
  // Comma, quote, UTF-8, from the first line, as shown, every sheet.
  const options = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1'
  const prefix = `${basename(path).replace(/\.[^.]+$/, '')}-`
  return new Map(
    converted(office, path, options, folder).map((file) => [
      basename(file, '.csv').slice(prefix.length),
      readFileSync(file, 'utf8'),
    ]),
  )
}
