import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageFolder } from '../../platform/native-package.js'
import { readStylesheets, html, renderPage, renderScript } from '../../web/html.js'

/** Paths of the page and its files. */
export const pagePaths = { page: '/', style: '/review.css', scripts: '/scripts/' } as const

const mainScript = 'review/page/browser/main.js'

/** The page before its scripts run. `scripts` are the names of modules to preload. */
function renderReviewPage(scripts: readonly string[]): string {
  return renderPage({
    title: 'Review',
    head: html`<meta name="color-scheme" content="light dark" />
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="${pagePaths.style}" />
      ${scripts.map((name) => html`<link rel="modulepreload" href="${pagePaths.scripts}${name}" />`)}
      ${renderScript(`${pagePaths.scripts}${mainScript}`, 'type="module"')}`,
    body: html`<body data-pane="review">
      ${headerHtml}
      <p id="connection" class="connection" role="alert" hidden></p>
      <main id="main">${queueHtml}${reviewHtml}${decidedHtml}</main>
      <p id="said" class="unseen" role="status"></p>
      <dialog id="group" aria-labelledby="group-title"></dialog>
      <dialog id="help" aria-labelledby="help-title"></dialog>
      <noscript><p class="connection">The review page requires JavaScript.</p></noscript>
    </body>`,
  })
}

const headerHtml = html`<header class="top">
  <h1>Review <span id="input-name" class="quiet"></span></h1>
  <div class="progress">
    <span id="progress-words"></span>
    <div
      id="progress-bar"
      class="meter"
      role="progressbar"
      aria-label="Decided"
      aria-valuemin="0"
      aria-valuemax="100"
    >
      <div></div>
    </div>
  </div>
  <p id="reviewer" class="quiet"></p>
  <nav class="panes" aria-label="Parts of the page">
    <button type="button" data-shows="queue">Queue</button>
    <button type="button" data-shows="review">Lookup</button>
    <button type="button" data-shows="decided">Decided</button>
  </nav>
</header>`

const queueHtml = html`<section id="queue" class="pane" aria-label="Queue">
  <div class="filters">
    <div id="views" class="choice" role="group" aria-label="Which lookups"></div>
    <input
      id="filter-text"
      type="search"
      placeholder="Filter by name or place"
      aria-label="Filter by name or place"
      autocomplete="off"
      spellcheck="false"
      maxlength="200"
    />
    <div id="statuses" class="chips" role="group" aria-label="Statuses"></div>
    <div class="sorting">
      <span id="queue-count" class="quiet"></span>
      <label>
        <span class="unseen">Order</span>
        <select id="sort">
          <option value="rows">most rows first</option>
          <option value="confidence">highest confidence</option>
          <option value="input">order of the input</option>
        </select>
      </label>
    </div>
  </div>
  <div id="list" class="list" role="listbox" tabindex="0" aria-label="Lookups">
    <div id="list-height" role="presentation"></div>
    <div id="list-rows" class="rows" role="presentation"></div>
  </div>
  <p id="more" class="more" role="status" hidden></p>
</section>`

const reviewHtml = html`<section id="review" class="pane" aria-label="The lookup and its candidates">
  <div id="row" class="row-view">
    <div id="asked" class="asked"></div>
    <div class="answers">
      <form id="search" class="search" role="search" hidden>
        <label class="search-text">
          <span>Name or identifier</span>
          <input id="search-text" type="search" autocomplete="off" spellcheck="false" maxlength="400" />
        </label>
        <label class="search-country">
          <span>Country</span>
          <input
            id="search-country"
            autocomplete="off"
            spellcheck="false"
            maxlength="2"
            placeholder="any"
            aria-description="two letters, such as DE"
          />
        </label>
        <button type="submit" class="primary">Search</button>
        <button id="search-leave" type="button">Close <kbd>Esc</kbd></button>
      </form>
      <div id="candidates"></div>
    </div>
  </div>
  <p id="hint" class="hint" hidden></p>
  <div id="actions" class="actions" role="toolbar" aria-label="What to do with this lookup"></div>
</section>`

const decidedHtml = html`<aside id="decided" class="pane" aria-label="What was decided">
  <h2>Decided <span id="decided-count" class="quiet"></span></h2>
  <ol id="decisions" class="decisions"></ol>
</aside>`

/** Files of the review page. */
export interface PageAssets {
  readonly pageHtml: string
  readonly pageCss: string
  /** JavaScript by its path below `pagePaths.scripts`. */
  readonly scripts: ReadonlyMap<string, string>
}

/** Output folder of the build. Sources use it too. */
const buildFolder = fileURLToPath(new URL('dist/', packageFolder))
const ownScripts = 'review/page/browser'

/** Reads the files. Throws if the package was not built. */
export function readPageAssets(): PageAssets {
  const own = readdirSync(`${buildFolder}${ownScripts}`)
    .filter((name) => name.endsWith('.js'))
    .map((name) => `${ownScripts}/${name}`)
  const scripts = own.map((name) => [name, readFileSync(`${buildFolder}${name}`, 'utf8')] as const)
  return {
    pageHtml: renderReviewPage(own),
    pageCss: readStylesheets(
      'web/base',
      'review/page/page',
      'review/page/layout',
      'review/page/queue',
      'review/page/cards',
    ),
    scripts: new Map(scripts),
  }
}
