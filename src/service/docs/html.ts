/** HTML text. What comes from elsewhere gets in through `escapeHtml` alone. */
export type Html = string

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function escapeHtml(text: string): Html {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

export const inlineCode = (text: string): Html => `<code>${escapeHtml(text)}</code>`

/** Scrolls by itself where it is wider than the page, by keyboard too. */
export function codeBlock(code: string, label: string): Html {
  return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(code)}</code></pre>`
}

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g

/** JSON with its keys and values in colours of their own. */
export function jsonBlock(value: unknown, label: string): Html {
  const text = JSON.stringify(value, null, 2)
  let html = ''
  let end = 0
  for (const match of text.matchAll(jsonToken)) {
    const [token, string, colon = ''] = match
    const kind = string === undefined ? 'n' : colon === '' ? 's' : 'k'
    html += escapeHtml(text.slice(end, match.index))
    html += `<span class="${kind}">${escapeHtml(string ?? token)}</span>${colon}`
    end = match.index + token.length
  }
  const code = html + escapeHtml(text.slice(end))
  return `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${code}</code></pre>`
}

/** On a narrow screen each row becomes a block; `head` is then left out. */
export function table(head: readonly string[], rows: readonly (readonly Html[])[], kind = 'fields'): Html {
  const headHtml = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')
  return `<table class="${kind}"><thead><tr>${headHtml}</tr></thead><tbody>\n${body}\n</tbody></table>`
}

/** One of several is shown, chosen without a script. `group` is unique in the page. */
export function tabs(group: string, panes: readonly { readonly label: string; readonly html: Html }[]): Html {
  const choices = panes.map(({ label, html }, index) => {
    const id = `${group}-${index + 1}`
    return (
      `<input type="radio" name="${group}" id="${id}"${index === 0 ? ' checked' : ''}>` +
      `<label for="${id}">${escapeHtml(label)}</label><div class="pane">${html}</div>`
    )
  })
  return `<div class="tabs">${choices.join('\n')}</div>`
}

export interface Heading {
  readonly id: string
  readonly level: 2 | 3
  readonly html: Html
}

export const headingHtml = ({ id, level, html }: Heading): Html =>
  `<h${level} id="${escapeHtml(id)}">${html} <a class="here" href="#${escapeHtml(id)}" aria-label="Link to this section">#</a></h${level}>`

/** The page's only style: nothing is loaded from elsewhere. Colours hold 4.5:1 on their ground, light and dark. */
export const style = `
:root { color-scheme: light dark; --ground: #fff; --text: #1c2024; --quiet: #5b636b; --line: #dfe3e7; --soft: #f5f7f9;
  --link: #0b57a8; --key: #0b57a8; --string: #1a6b34; --number: #9a3f00; --get: #0b57a8; --post: #1a6b34; --mark: #8a4b00 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171a; --text: #e4e7ea; --quiet: #a3abb3; --line: #343a41; --soft: #1d2125; --link: #8cc0ff;
    --key: #8cc0ff; --string: #8fd6a3; --number: #f0b080; --get: #8cc0ff; --post: #8fd6a3; --mark: #f0c078 }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif }
a { color: var(--link) } a:focus-visible, pre:focus-visible, summary:focus-visible, input:focus-visible + label { outline: 2px solid var(--link); outline-offset: 2px }
code, pre { font: 0.85em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
code { overflow-wrap: anywhere } pre code { font-size: 1em; overflow-wrap: normal }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0 1rem; padding: .75rem 1rem; overflow: auto; max-height: 34rem }
.layout { max-width: 76rem; margin: 0 auto; padding: 0 1rem }
main { min-width: 0; max-width: 52rem; padding-bottom: 6rem }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 2rem 0 .5rem }
h2 { font-size: 1.35rem; margin: 3.5rem 0 1rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 2.5rem 0 .5rem; overflow-wrap: anywhere } h3 code { font-size: .95em }
h4 { font-size: .8rem; margin: 1.25rem 0 .35rem; color: var(--quiet); text-transform: uppercase; letter-spacing: .04em }
p { margin: .5rem 0 } .quiet { color: var(--quiet) } .lead { font-size: 1.05rem }
.here { color: var(--quiet); text-decoration: none; opacity: 0; display: inline-block; width: 0 } :is(h2, h3):hover .here, .here:focus { opacity: 1 }
.method { font: 600 .8rem ui-monospace, monospace; border: 1px solid currentColor; border-radius: 4px; padding: .05rem .4rem }
.GET { color: var(--get) } .POST { color: var(--post) }
.tag { display: inline-block; font-size: .8rem; border-radius: 4px; padding: 0 .45rem; margin-right: .35rem; border: 1px solid var(--line); color: var(--quiet) }
.tag.billed { color: var(--mark); border-color: currentColor }
table { border-collapse: collapse; width: 100%; margin: .35rem 0 1rem; font-size: .92rem }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .8rem } td, th { padding: .4rem .9rem .4rem 0; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
td:first-child { width: 30% } .statuses td:first-child { width: 5rem } .statuses td:nth-child(2) { width: 34% } td:last-child { padding-right: 0 }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem } summary { cursor: pointer }
details > summary code { font-weight: 600 }
.k { color: var(--key) } .s { color: var(--string) } .n { color: var(--number) }
.tabs { display: flex; flex-wrap: wrap; margin: .5rem 0 1rem } .tabs > input { position: absolute; opacity: 0 }
.tabs > label { order: 1; padding: .3rem .8rem; cursor: pointer; color: var(--quiet); border-bottom: 2px solid transparent; font-size: .9rem }
.tabs > input:checked + label { color: var(--text); border-color: var(--link); font-weight: 600 }
.tabs > .pane { order: 2; width: 100%; min-width: 0; display: none } .tabs > input:checked + label + .pane { display: block } .pane pre { margin-top: .4rem }
#menu { position: absolute; opacity: 0 } .menu { display: inline-block; border: 1px solid var(--line); border-radius: 6px; padding: .3rem .8rem; margin: .5rem 0; cursor: pointer }
#menu:focus-visible + .menu { outline: 2px solid var(--link); outline-offset: 2px }
nav { display: none; font-size: .9rem; border-bottom: 1px solid var(--line); padding-bottom: 1rem } #menu:checked ~ nav { display: block }
nav ul { list-style: none; margin: 0 0 .75rem; padding: 0 } nav li > ul { padding-left: .8rem; margin: 0 }
nav a { display: block; padding: .15rem 0; text-decoration: none; color: var(--text); overflow-wrap: anywhere } nav a:hover { color: var(--link); text-decoration: underline }
nav ul ul a { color: var(--quiet) } nav ul ul a { display: flex; gap: .4rem; align-items: baseline } nav .method { border: 0; padding: 0; font-size: .7rem; flex: 0 0 2.1rem }
@media (min-width: 1000px) {
  .layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 0 3rem } #menu, .menu { display: none }
  nav { display: block; grid-column: 1; position: sticky; top: 0; height: 100vh; overflow: auto; padding: 2rem 1rem 2rem 0; border: 0; border-right: 1px solid var(--line) } main { grid-column: 2 }
}
@media (max-width: 640px) {
  body { font-size: 15px } table, tbody, tr, td { display: block } thead { display: none } td, td:first-child { width: auto; border: 0; padding: 0 } tr { border-bottom: 1px solid var(--line); padding: .5rem 0 }
}
@media print { nav, .menu { display: none } pre { max-height: none; white-space: pre-wrap } }
`
