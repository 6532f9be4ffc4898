/** A block of code in a document, without the indentation that it has below an item of a list. */
export interface CodeBlock {
  /** The text of the last heading above the block, without its marks. */
  readonly heading: string
  /** The word after the opening marks; empty if there is none. */
  readonly language: string
  readonly text: string
}

/** Returns all blocks of code of a document, in order. */
export function readCodeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  const pattern = /^#+ (?<heading>.+)$|^(?<indent> *)```(?<language>\w*)\n(?<code>[^]*?)^\k<indent>```$/gm
  let heading = ''
  for (const { groups = {} } of markdown.matchAll(pattern)) {
    const { indent = '', language = '', code } = groups
    if (groups['heading'] !== undefined) heading = groups['heading']
    else if (code !== undefined) {
      const text = code.replace(new RegExp(`^${indent}`, 'gm'), '')
      blocks.push({ heading, language, text })
    }
  }
  return blocks
}

/** Returns the commands of a block for a shell: continued lines are joined, comments and empty lines left out. */
export function readCommands(text: string): string[] {
  const lines = text.replace(/ *\\\n */g, ' ').split('\n')
  return lines.map((line) => line.replace(/(?:^| +)# .*$/, '').trim()).filter((line) => line !== '')
}

/**
 * Reads a table whose columns are aligned by spaces, two at least between two columns: a row is an object by the
 * names of the columns. A row may end before its last column.
 */
export function readAlignedTable(text: string): Record<string, string>[] {
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ 0: name, index }) => ({ name, index }))
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, index }, at) => [name, line.slice(index, columns[at + 1]?.index).trim()]),
    ),
  )
}
