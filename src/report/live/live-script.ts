/**
 * Keeps the page as the run is: asks for the next state, which comes when there is one, and swaps the parts that are
 * others. What is focused, scrolled, opened or selected stays so.
 */
export const liveScript = `'use strict'
const live = document.getElementById('live')
const connection = document.getElementById('connection')
const partsOf = (root) => [...root.querySelectorAll('[data-part]')]
const texts = new Map(partsOf(live).map((part) => [part.dataset.part, part.outerHTML]))
let namesShown = partsOf(live).map((part) => part.dataset.part).join()
let tag = ''

function say(text) {
  if (connection.textContent !== text) connection.textContent = text
}

function isSelected(part) {
  const selection = getSelection()
  return selection !== null && selection.type === 'Range' && selection.containsNode(part, true)
}

function focusIn(root) {
  const focused = document.activeElement
  if (focused === null || focused === document.body || !root.contains(focused)) return null
  if (focused.id !== '') return '#' + CSS.escape(focused.id)
  if (focused.tagName === 'SUMMARY') return '#' + CSS.escape(focused.parentElement.id) + ' > summary'
  const href = focused.getAttribute('href')
  return href === null ? null : 'a[href="' + CSS.escape(href) + '"]'
}

function replaceKeeping(old, fresh) {
  const focus = focusIn(old)
  const open = new Map([...old.querySelectorAll('details[id]')].map((part) => [part.id, part.open]))
  const scrolled = new Map([...old.querySelectorAll('.scroll[id]')].map((part) => [part.id, [part.scrollLeft, part.scrollTop]]))
  old.replaceWith(fresh)
  for (const part of fresh.querySelectorAll('details[id]')) if (open.has(part.id)) part.open = open.get(part.id)
  for (const part of fresh.querySelectorAll('.scroll[id]')) {
    const place = scrolled.get(part.id)
    if (place !== undefined) [part.scrollLeft, part.scrollTop] = place
  }
  if (focus !== null) fresh.querySelector(focus)?.focus({ preventScroll: true })
}

/** True where all of it is shown. */
function show(text) {
  const next = new DOMParser().parseFromString('<div id="live">' + text + '</div>', 'text/html').getElementById('live')
  const names = partsOf(next).map((part) => part.dataset.part).join()
  if (names !== namesShown) {
    namesShown = names
    for (const part of partsOf(next)) texts.set(part.dataset.part, part.outerHTML)
    for (const name of ['header', 'nav', 'main']) replaceKeeping(live.querySelector(name), next.querySelector(name))
    return true
  }
  let isWhole = true
  for (const fresh of partsOf(next)) {
    const name = fresh.dataset.part
    const html = fresh.outerHTML
    if (texts.get(name) === html) continue
    const old = live.querySelector('[data-part="' + CSS.escape(name) + '"]')
    if (isSelected(old)) {
      isWhole = false
      continue
    }
    texts.set(name, html)
    replaceKeeping(old, fresh)
  }
  const title = next.querySelector('h1').textContent
  if (live.querySelector('h1').textContent !== title) live.querySelector('h1').textContent = title
  return isWhole
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function follow() {
  for (;;) {
    try {
      const reply = await fetch('live?after=' + encodeURIComponent(tag), { cache: 'no-store' })
      if (reply.status === 200) {
        const isWhole = show(await reply.text())
        tag = isWhole ? reply.headers.get('x-state') : ''
        say('')
        if (reply.headers.get('x-over') === 'yes' && isWhole) {
          say('The run has ended. This page stays as it is.')
          return
        }
        if (!isWhole) await wait(1000)
      } else if (reply.status !== 204) throw new Error(String(reply.status))
      else say('')
    } catch {
      say('The run is gone, or cannot be reached: what is shown is the last that was heard of it.')
      await wait(3000)
      tag = ''
    }
  }
}

void follow()
`
