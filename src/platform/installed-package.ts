import { readFileSync, existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the folder of the package, and the one below it that contains this code: `src` or `dist`. */
function findFolders(): { package: URL; code: URL } {
  let code = new URL('./', import.meta.url)
  for (;;) {
    const above = new URL('../', code)
    if (above.href === code.href || existsSync(new URL('package.json', above)))
      return { package: above, code }
    code = above
  }
}

export const { package: packageFolder, code: codeFolder } = findFolders()

export const manifestPath = fileURLToPath(new URL('package.json', packageFolder))

/** The package's version. */
export const { version } = JSON.parse(readFileSync(manifestPath, 'utf8')) as { readonly version: string }
