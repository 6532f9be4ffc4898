import { html, type Html, type HtmlPart } from '../../web/html.js'

export const inlineCode = (text: string): Html => html`<code>${text}</code>`

/** Scrolls by itself where it is wider than the page, by keyboard too. */
export const codeBlock = (code: HtmlPart, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre>`

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g

/** JSON with its keys and values in colours of their own. */
export function jsonBlock(value: unknown, label: string): Html {
  const text = JSON.stringify(value, null, 2)
  const parts: HtmlPart[] = []
  let end = 0
  for (const match of text.matchAll(jsonToken)) {
    const [token, string, colon = ''] = match
    const kind = string === undefined ? 'n' : colon === '' ? 's' : 'k'
    parts.push(text.slice(end, match.index), html`<span class="${kind}">${string ?? token}</span>`, colon)
    end = match.index + token.length
  }
  return codeBlock([...parts, text.slice(end)], label)
}

/** On a narrow screen each row becomes a block; `head` is then left out. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly HtmlPart[])[],
  kind = 'fields',
): Html =>
  html`<table class="${kind}">
    <thead>
      <tr>
        ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`

/** One of several is shown, chosen without a script. `group` is unique in the page. */
export const tabs = (
  group: string,
  panes: readonly { readonly label: string; readonly body: Html }[],
): Html =>
  html`<div class="tabs">
    ${panes.map(({ label, body }, index) => {
      const id = `${group}-${index + 1}`
      return html`<input type="radio" name="${group}" id="${id}" ${index === 0 ? 'checked' : null} />
        <label for="${id}">${label}</label>
        <div class="pane">${body}</div>`
    })}
  </div>`

export interface Heading {
  readonly id: string
  readonly level: 2 | 3
  readonly text: HtmlPart
}

export function headingHtml({ id, level, text }: Heading): Html {
  const inner = html`${text} <a class="here" href="#${id}" aria-label="Link to this section">#</a>`
  return level === 2 ? html`<h2 id="${id}">${inner}</h2>` : html`<h3 id="${id}">${inner}</h3>`
}
