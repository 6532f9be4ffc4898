import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { mayUseServers, tellSkipped } from './skipped.js'

const places = [
  '/usr/bin/soffice',
  '/usr/bin/libreoffice',
  '/Applications/LibreOffice.app/Contents/MacOS/soffice',
]

/** Where a LibreOffice is on this machine; null, and said loudly, where there is none. */
export function findOffice(): string | null {
  if (!mayUseServers()) return null
  const found = places.find((place) => existsSync(place)) ?? null
  if (found === null) {
    tellSkipped(
      `there is no LibreOffice on this machine (looked at ${places.join(', ')}), so no sheet is opened in it`,
    )
  }
  return found
}

/** What LibreOffice makes of files, in a folder of its own within `folder`; the paths of it. */
function converted(office: string, paths: readonly string[], to: string, folder: string): string[] {
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
      ...paths,
    ],
    { stdio: 'pipe', timeout: 180_000 },
  )
  return readdirSync(outFolder).map((name) => join(outFolder, name))
}

/** Saves a file anew as .xlsx. */
export function savedByOffice(office: string, path: string, folder: string): string {
  return converted(office, [path], 'xlsx:Calc MS Excel 2007 XML', folder)[0] ?? ''
}

/**
 * Opens a file, does with it what statements of Basic say of its first sheet (`sheet`), and saves it as another .xlsx, as
 * somebody does by hand.
 */
export function editedInOffice(office: string, path: string, folder: string, statements: string): string {
  const profile = join(folder, 'profile')
  const run = (...args: string[]) =>
    execFileSync(office, [`-env:UserInstallation=file://${profile}`, '--headless', ...args], {
      stdio: 'pipe',
      timeout: 180_000,
    })
  // Its first start makes the module that macros stand in.
  run('--terminate_after_init')
  const saved = join(mkdtempSync(join(folder, 'edited-')), basename(path))
  const source = `Sub Main
Dim hidden(0) As New com.sun.star.beans.PropertyValue
hidden(0).Name = "Hidden" : hidden(0).Value = True
document = StarDesktop.loadComponentFromURL(ConvertToURL("${path}"), "_blank", 0, hidden())
sheet = document.Sheets.getByIndex(0)
${statements}
Dim filter(0) As New com.sun.star.beans.PropertyValue
filter(0).Name = "FilterName" : filter(0).Value = "Calc MS Excel 2007 XML"
document.storeToURL(ConvertToURL("${saved}"), filter())
document.close(True)
End Sub`
  writeFileSync(
    join(profile, 'user/basic/Standard/Module1.xba'),
    `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">${source.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</script:module>`,
  )
  run('macro:///Standard.Module1.Main')
  if (!existsSync(saved)) throw new Error('LibreOffice saved nothing')
  return saved
}

/** The sheets of a file by name, as CSV of what is seen in them. */
export const seenInOffice = (office: string, path: string, folder: string): Map<string, string> =>
  seenTogether(office, [path], folder)[0]!

/** The same for several files with different names, which takes one start. */
export function seenTogether(
  office: string,
  paths: readonly string[],
  folder: string,
): Map<string, string>[] {
  // Comma, quote, UTF-8, from the first line, as shown, every sheet.
  const options = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1'
  const files = converted(office, paths, options, folder)
  return paths.map((path) => {
    const prefix = `${basename(path).replace(/\.[^.]+$/, '')}-`
    const own = files.filter((file) => basename(file).startsWith(prefix))
    return new Map(
      own.map((file) => [basename(file, '.csv').slice(prefix.length), readFileSync(file, 'utf8')]),
    )
  })
}
