/** The script of the page: a search over all sections, and a button at each code block that copies it. */
export const pageScript = `'use strict'
const nav = document.querySelector('nav')
const create = (tag, properties) => Object.assign(document.createElement(tag), properties)

function readSection(heading) {
  let text = heading.textContent
  for (let next = heading.nextElementSibling; next !== null; next = next.nextElementSibling) {
    if (/^H[23]$/.test(next.tagName)) break
    // Sections of a whole version contain those of their routes.
    text += ' ' + next.textContent
  }
  return text.toLowerCase()
}

const sections = [...document.querySelectorAll('main :is(h2, h3)[id]')].map((heading) => ({
  id: heading.id,
  title: heading.textContent.replace(/#$/, '').trim(),
  text: readSection(heading),
}))
const field = create('input', { type: 'search', placeholder: 'Search', ariaLabel: 'Search this page' })
const count = create('p', { className: 'quiet', role: 'status' })
const results = create('ul', { className: 'results', hidden: true })
const contents = nav.querySelector('ul')
nav.prepend(field, count, results)

field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
  const isSearch = words.length > 0
  const found = isSearch ? sections.filter(({ text }) => words.every((word) => text.includes(word))) : []
  const inTitle = ({ title }) => words.every((word) => title.toLowerCase().includes(word))
  found.sort((one, other) => inTitle(other) - inTitle(one))
  results.replaceChildren(
    ...found.map(({ id, title }) => {
      const item = create('li', {})
      item.append(create('a', { href: '#' + id, textContent: title }))
      return item
    }),
  )
  count.textContent = isSearch ? found.length + (found.length === 1 ? ' section' : ' sections') : ''
  results.hidden = !isSearch
  contents.hidden = isSearch
})

function copy(block) {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(block.textContent)
  // Over plain http from another machine, browsers offer only this.
  getSelection().selectAllChildren(block)
  document.execCommand('copy')
  return Promise.resolve()
}

for (const block of document.querySelectorAll('pre')) {
  const button = create('button', { type: 'button', textContent: 'Copy' })
  const frame = create('div', { className: 'copyable' })
  block.replaceWith(frame)
  frame.append(block, button)
  button.addEventListener('click', async () => {
    await copy(block.querySelector('code'))
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
}
`
