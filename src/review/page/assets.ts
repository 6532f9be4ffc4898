import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageFolder } from '../../platform/package-folder.js'
import { stylesheet } from '../../web/stylesheet.js'
import { pageText } from './page-html.js'

export { pagePaths } from './page-html.js'

/** What a browser loads of the review page. */
export interface PageAssets {
  readonly pageHtml: string
  readonly pageCss: string
  /** JavaScript by the name that follows `pagePaths.scripts`; names hold slashes. */
  readonly scripts: ReadonlyMap<string, string>
}

/** As the build leaves it, for the sources too. */
const built = fileURLToPath(new URL('dist/', packageFolder))
const ownScripts = 'review/page/browser'

/** Read once, when a server starts. Throws where the package was not built. */
export function readPageAssets(): PageAssets {
  const own = readdirSync(`${built}${ownScripts}`)
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${ownScripts}/${name}`)
  const scripts = own.map((name) => [name, readFileSync(`${built}${name}`, 'utf8')] as const)
  return {
    pageHtml: pageText(own),
    pageCss: stylesheet(
      'web/base',
      'review/page/page',
      'review/page/layout',
      'review/page/queue',
      'review/page/cards',
    ),
    scripts: new Map(scripts),
  }
}
