/** Ways in which people and columns write a company's name; null where a way does not apply to a name. */
export type NameChange = (name: string, fraction: () => number) => string | null

const formEnd =
  /[\s,]+(?:inc|corp|corporation|co|company|ltd|limited|llc|plc|lp|llp|l\.p|gmbh|ag|sa|s\.a|nv|n\.v|bv|ab|asa|oyj|spa|s\.p\.a)\.?$/i

const words = (name: string) => name.split(/\s+/).filter((word) => word !== '')
const pick = <T>(items: readonly T[], fraction: () => number): T | undefined =>
  items[Math.floor(fraction() * items.length)]

function withoutForm(name: string): string | null {
  const cut = name.replace(/\s*[/\\][A-Za-z]{2,4}[/\\]?\s*$/, '').replace(formEnd, '')
  return cut === name || cut.length < 3 ? null : cut
}

/** One typing error inside a word of five letters or more: a letter doubled, left out, replaced or swapped. */
function mistyped(name: string, fraction: () => number): string | null {
  const at = [...name.matchAll(/[a-z]{5,}/gi)].map(({ index, 0: word }) => ({ index, word }))
  const found = pick(at, fraction)
  if (found === undefined) return null
  const { index, word } = found
  const spot = 1 + Math.floor(fraction() * (word.length - 2))
  const letter = word.charAt(spot)
  const wrong = [
    word.slice(0, spot) + letter + word.slice(spot),
    word.slice(0, spot) + word.slice(spot + 1),
    word.slice(0, spot) + String.fromCharCode(97 + Math.floor(fraction() * 26)) + word.slice(spot + 1),
    word.slice(0, spot) + word.charAt(spot + 1) + letter + word.slice(spot + 2),
  ]
  const typed = pick(wrong, fraction) ?? word
  return typed === word ? null : name.slice(0, index) + typed + name.slice(index + word.length)
}

function cutAt(width: number): NameChange {
  return (name) => (name.length > width ? name.slice(0, width).trimEnd() : null)
}

const shortForms: readonly [RegExp, string][] = [
  [/\binternational\b/i, 'Intl'],
  [/\bholdings?\b/i, 'Hldgs'],
  [/\bmanufacturing\b/i, 'Mfg'],
  [/\bservices\b/i, 'Svcs'],
  [/\btechnolog(?:y|ies)\b/i, 'Tech'],
  [/\bmanagement\b/i, 'Mgmt'],
  [/\bfinancial\b/i, 'Finl'],
  [/\bpharmaceuticals?\b/i, 'Pharma'],
  [/\bgroup\b/i, 'Grp'],
  [/\band\b/i, '&'],
  [/&/, 'and'],
]

function abbreviated(name: string): string | null {
  const short = shortForms.reduce((text, [long, brief]) => text.replace(long, brief), name)
  return short === name ? null : short
}

function reordered(name: string, fraction: () => number): string | null {
  const parts = words(withoutForm(name) ?? name)
  if (parts.length < 2) return null
  const turn = 1 + Math.floor(fraction() * (parts.length - 1))
  return [...parts.slice(turn), ...parts.slice(0, turn)].join(' ')
}

function wordDropped(name: string, fraction: () => number): string | null {
  const parts = words(withoutForm(name) ?? name)
  if (parts.length < 3) return null
  const at = Math.floor(fraction() * parts.length)
  return parts.filter((_, index) => index !== at).join(' ')
}

const additions = ['Group', 'Holdings', 'UK', 'USA', '(Head Office)', 'Services', 'and Sons', 'International']
const otherForms = ['Inc.', 'Corporation', 'Ltd', 'Limited', 'LLC', 'plc', 'Co.', 'LP']
const securities = ['Common Stock', 'Class A Common Shares', 'Preferred Stock', 'Ordinary Shares']

function joinedOrSplit(name: string, fraction: () => number): string | null {
  const parts = words(withoutForm(name) ?? name)
  const at = Math.floor(fraction() * (parts.length - 1))
  if (parts.length < 2) return null
  return [...parts.slice(0, at), `${parts[at] ?? ''}${parts[at + 1] ?? ''}`, ...parts.slice(at + 2)].join(' ')
}

function initials(name: string): string | null {
  const parts = words(withoutForm(name) ?? name).filter((word) => !/^(?:of|the|and|&|for|in)$/i.test(word))
  return parts.length < 3 ? null : parts.map((word) => word.charAt(0).toUpperCase()).join('')
}

function accentsLost(name: string): string | null {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '')
  return plain === name.normalize('NFD') ? null : plain
}

/** By the name of the stratum that the change makes. */
export const nameChanges: Readonly<Record<string, NameChange>> = {
  exact: (name) => name,
  other_case: (name) => (name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()),
  form_dropped: (name) => withoutForm(name),
  form_changed: (name, fraction) => `${withoutForm(name) ?? name} ${pick(otherForms, fraction) ?? ''}`,
  typing_error: mistyped,
  cut_at_31: cutAt(31),
  cut_at_40: cutAt(40),
  abbreviated,
  reordered,
  words_joined: joinedOrSplit,
  word_dropped: wordDropped,
  word_added: (name, fraction) => `${withoutForm(name) ?? name} ${pick(additions, fraction) ?? ''}`,
  security_added: (name, fraction) => `${name} ${pick(securities, fraction) ?? ''}`,
  initials,
  accents_lost: accentsLost,
}
