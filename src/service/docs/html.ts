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

/** JSON with its keys and values told apart by colour. */
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
