/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string
  readonly labels: Record<string, string>
  readonly value: number
}

/**
 * Reads the text format as its specification has it, and holds what promtool would complain of: every family has one
 * HELP and one TYPE before its samples, its lines stand together, no sample is there twice, names and labels are spelled
 * as they must be, gauges do not end in `_total`, and the last line is ended.
 */
export function readPrometheus(text: string): Sample[] {
  must(text.endsWith('\n'), 'the last line is not ended')
  const samples: Sample[] = []
  const families = new Map<string, { help: boolean; type: string | null; isOver: boolean }>()
  let current = ''
  const enter = (name: string) => {
    if (name === current) return
    const before = families.get(current)
    if (before !== undefined) before.isOver = true
    must(families.get(name)?.isOver !== true, `${name} stands in two places`)
    if (!families.has(name)) families.set(name, { help: false, type: null, isOver: false })
    current = name
  }
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, word = '', named = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (word !== '') {
      enter(named)
      const family = families.get(named)
      if (family === undefined) throw new Error(named)
      if (word === 'HELP') {
        must(!family.help, `${named} has two helps`)
        family.help = true
      } else {
        must(family.type === null && ['gauge', 'counter'].includes(rest), `${named}: TYPE ${rest}`)
        must(rest === 'counter' || !named.endsWith('_total'), `${named} is no counter`)
        family.type = rest
      }
      continue
    }
    must(!line.startsWith('#'), `a comment of no kind: ${line}`)
    const sample = readSample(line)
    enter(sample.name)
    const family = families.get(sample.name)
    must(family?.help === true && family.type !== null, `${sample.name} has no help or type before it`)
    const isThere = samples.some(
      (other) => other.name === sample.name && JSON.stringify(other.labels) === JSON.stringify(sample.labels),
    )
    must(!isThere, `${line} is there twice`)
    samples.push(sample)
  }
  return samples
}

function readSample(line: string): Sample {
  const [head = '', name = ''] = /^([a-zA-Z_:][\w:]*)/.exec(line) ?? []
  must(name !== '', `no name: ${line}`)
  const labels: Record<string, string> = {}
  let at = head.length
  if (line[at] === '{') {
    at++
    while (line[at] !== '}') {
      const [whole = '', label = '', value = ''] =
        /^([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)",?/.exec(line.slice(at)) ?? []
      must(whole !== '' && !(label in labels), `a label is not spelled as it must be: ${line}`)
      labels[label] = value.replace(/\\([\\"n])/g, (_, char: string) => (char === 'n' ? '\n' : char))
      at += whole.length
    }
    at++
  }
  const [, value = ''] = /^ (-?(?:\d+\.?\d*(?:e[+-]?\d+)?))$/.exec(line.slice(at)) ?? []
  must(value !== '', `no value: ${line}`)
  return { name, labels, value: Number(value) }
}

function must(isHeld: boolean, message: string): asserts isHeld {
  if (!isHeld) throw new Error(message)
}
