import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { buildInputOptions } from '../../src/app/inspect-input.js'
import type { CliIo } from '../../src/cli/terminal/command-io.js'
import { createProgram } from '../../src/cli/program.js'
import { parseConfig } from '../../src/config/file-config.js'
import { listOptions } from '../../src/config/option.js'
import { options } from '../../src/config/options.js'
import { outcomeStatus } from '../../src/contract/enums.js'
import { allColumns, answerColumns } from '../../src/pipeline/answers/columns.js'
import { reviewColumns } from '../../src/pipeline/answers/column-kinds.js'
import { errorCodes, UserError } from '../../src/core/errors.js'
import * as library from '../../src/index.js'
import { openInput } from '../../src/pipeline/input/input.js'
import { basisFileColumns } from '../../src/pipeline/output/answer-cells.js'
import { resolveColumns } from '../../src/registry/import/csv-row.js'
import { resolveSettings } from '../../src/config/settings.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/** The README and the pages behind it. */
const pages = ['README.md', ...filesOf('docs').filter((path) => !path.startsWith('docs/decisions/'))]
/** All that users are told, as one text. */
const manual = pages.map(read).join('\n')

/** The text under a heading, up to the next one of its level. */
function section(heading: string): string {
  const [, after] = manual.split(new RegExp(`^## ${heading}$`, 'm'))
  if (after === undefined) throw new Error(`no page has a section "${heading}"`)
  return after.split(/^#{1,2} /m)[0] ?? ''
}

/** The cells of a section's tables, without their heads, code marks taken off. */
function table(heading: string): string[][] {
  const rows = section(heading)
    .replace(/^\|.*\|\n\|---.*\|$/gm, '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

const unique = (words: Iterable<string>) => [...new Set(words)].sort()
const found = (pattern: RegExp, text = manual) => unique([...text.matchAll(pattern)].map(([word]) => word))
const inCode = (word: string) => manual.includes(`\`${word}\``)

describe('the command line', async () => {
  // Nothing is run: what the commands are called is looked at, and no stream is touched.
  const nowhere: Partial<CliIo> = {}
  const program = await createProgram(nowhere as CliIo)
  const commands = (from: Command): Command[] => [from, ...from.commands.flatMap(commands)]
  const all = commands(program)
  const pathOf = (command: Command): string =>
    command.parent === null || command.parent === program
      ? command.name()
      : `${pathOf(command.parent)} ${command.name()}`
  const flags = unique(all.flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])))

  test('every flag of every command is in the README, and no other', () => {
    expect(flags.length).toBeGreaterThan(30)
    // Of the commands shown, the ones that only work on this project have flags of their own.
    // A release is made by other programs.
    const ours = manual
      .replace(read('docs/maintainers/releasing.md'), '')
      .replace(/`(npm run|npx --no-install) [^`]*`|^(?:[\d*]+ )*docker .*$/gm, '')
      .replaceAll('node --expose-gc', 'node')
      .replaceAll('npx --no-install', 'npx')
    expect(found(/(?<![\w-])--[a-z][a-z0-9-]*/g, ours)).toEqual(unique([...flags, '--help']))
  })

  test('every flag of run stands in the table of settings', () => {
    const run = all.find((command) => command.name() === 'run')
    const listed = found(/--[a-z-]+/g, table('Settings').join('\n'))
    expect(listed).toEqual(expect.arrayContaining((run?.options ?? []).map(({ long }) => long)))
  })

  test('defaults and choices of the flags of run are the same in --help and in the README', () => {
    const rows = table('Settings')
    const run = all.find((command) => command.name() === 'run')
    let compared = 0
    for (const { long, flags: shown, description, argChoices } of run?.options ?? []) {
      const isRow = ([flag = '']: readonly string[]) => flag.split(/[^\w-]/).includes(long ?? shown)
      const listed = rows.find(isRow)?.join(' ') ?? ''
      // What is too long for a row has a section of its own.
      const row = long === '--encoding' ? listed + section('Encodings') : listed
      // Of several, the first; what follows a semicolon is about something else.
      const [, said] = /\(default: ([^;)]+)/.exec(description) ?? []
      for (const word of [...(said === undefined ? [] : [said]), ...(argChoices ?? [])]) {
        expect([long, row]).toEqual([long, expect.stringContaining(word)])
        compared++
      }
    }
    expect(compared).toBeGreaterThan(20)
  })

  test('every command has a heading in its page', () => {
    for (const command of all.slice(1)) {
      const [name = '', ...inner] = pathOf(command).split(' ')
      const page = read(`docs/reference/commands/${name}.md`)
      expect(page).toMatch(new RegExp(`^#+ enrich ${[name, ...inner].join(' ')}$`, 'm'))
    }
  })

  test('commands named in documents are commands of enrich', () => {
    const groups = new Map(program.commands.map((command) => [command.name(), command.commands]))
    const named = [...manual.matchAll(/`enrich ([a-z]+)(?: ([a-z]+))?(?=[ `])/g)]
    expect(named.length).toBeGreaterThan(60)
    const unknown = named.filter(([, name = '', second]) => {
      const subcommands = groups.get(name)
      if (subcommands === undefined) return true
      const isNamed = subcommands.some((command) => command.name() === second)
      return subcommands.length > 0 && second !== undefined && !isNamed
    })
    expect(unknown.map(([text]) => text)).toEqual([])
  })

  test('every exit code is in the README, and no other', () => {
    const signals = [...read('src/cli/command-line.ts').matchAll(/SIG\w+: (\d+)/g)]
    const ofSignals = [...new Set(signals.map(([, code]) => Number(code)))]
    expect(ofSignals).toHaveLength(2)
    // 0 is success, 1 a bug, 3 a written output with rows that need attention, 6 one with an alarm: no error bears these.
    const codes = new Set([0, 1, 3, 6, ...Object.values(errorCodes), ...ofSignals])
    const listed = [...codes].sort((a, b) => a - b)
    expect(table('Exit codes').map(([code]) => code)).toEqual([...listed.map(String), 'other'])
  })

  test('every variable of the environment that is read is in the README, and no other', () => {
    const inSource = filesOf('src').flatMap((path) => found(/\bENRICH_[A-Z_]+/g, read(path)))
    expect(found(/\bENRICH_[A-Z_]+/g)).toEqual(unique(inSource))
  })
})

describe('the configuration', () => {
  const keys = listOptions(options).map(({ path }) => path.join('.'))

  test('keys named elsewhere in the README exist', () => {
    const topLevel = unique(keys.map((key) => key.split('.')[0] ?? '')).filter((key) => /^[a-z]/.test(key))
    const named = found(new RegExp(`(?<=\`)(?:${topLevel.join('|')})\\.[A-Za-z.]+(?=\`)`, 'g'))
    expect(named.filter((name) => !keys.some((key) => key === name))).toEqual([])
  })

  test('the example can be used', async () => {
    const example: unknown = JSON.parse(read('pipeline.config.example.json'))
    const settings = resolveSettings(parseConfig(example, 'the example'), {})
    for (const path of settings.input.paths ?? []) expect(existsSync(join(root, path))).toBe(true)
    const named = buildInputOptions(settings)
    const input = await openInput({ ...named, paths: named.paths.map((path) => join(root, path)) })
    expect(input.columns).toContain(settings.input.columns.name)
    await input.close()
  })
})

describe('what comes out', () => {
  test('no column is named that is not added, and their number is right', () => {
    // Only runs with an own registry that answers first have this column.
    const ofReview = reviewColumns.filter(({ name }) => name !== 'answered_by')
    const names = [...answerColumns, ...ofReview].map(({ name }) => `enrich_${name}`)
    const all = allColumns.map(({ name }) => `enrich_${name}`)
    // What begins with enrich_run_ and is no column is a metric; enrich_service is a schema of tables.
    const isOther = (name: string) => /^enrich_(run_(?!id$)|service$|mark_$)/.test(name)
    const named = found(/\benrich_[a-z_]+/g).filter((name) => !isOther(name))
    expect(named.filter((name) => !all.includes(name))).toEqual([])
    expect(manual).toContain(`and ${names.length} more`)
  })

  test('every column of the basis file and every field of an import is in the README', () => {
    expect(importFields()).toContain('legal_form')
    expect([...basisFileColumns, ...importFields()].filter((name) => !inCode(name))).toEqual([])
  })

  test('every status is in the README, and no other', () => {
    const ours = ['invalid_input', 'uncertain', 'pending', 'error']
    expect(unique(table('Status values').map(([status]) => status ?? ''))).toEqual(
      unique([...outcomeStatus.options, ...ours]),
    )
  })
})

describe('the rest of the README', () => {
  test('the sample imports what the library exports', () => {
    const names =
      /import \{ ([^}]*) \} from 'enrich'/.exec(read('docs/reference/library.md'))?.[1]?.split(', ') ?? []
    expect(names).toContain('enrich')
    expect(names.filter((name) => !(name in library))).toEqual([])
  })

  test('relative links of all documents lead to files and headings that exist', () => {
    const documents = projectFiles().filter((path) => path.endsWith('.md'))
    expect(documents).toEqual(expect.arrayContaining([...pages, 'examples/README.md', 'bench/README.md']))
    // A pattern in code may have the signs of a link.
    const readText = (path: string) => read(path).replace(/`[^`\n]*`/g, '')
    const targets = documents.flatMap((path) =>
      [...readText(path).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(
        ([, target = '']) => [path, target] as const,
      ),
    )
    expect(targets.length).toBeGreaterThan(60)
    const broken = targets.filter(([path, target]) => {
      const [file = '', anchor] = target.split('#')
      const to = file === '' ? path : normalize(join(dirname(path), file))
      if (!existsSync(join(root, to))) return true
      return anchor !== undefined && !anchorsOf(read(to)).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('readings of the interface are on one page, and other pages link to it', () => {
    const leads = pages.flatMap((path) =>
      [
        ...read(path).matchAll(/\binterface (?:where it )?is silent\b[^.]*?\]\((?:[\w.-]+\/)*([\w-]+\.md)/g),
      ].map(([, to]) => [path, to] as const),
    )
    expect(leads).toEqual([['docs/reference/http-interface.md', 'interface-readings.md']])
  })

  test('what does not work on a checkpoint that machines share is on its page alone, to which the README leads', () => {
    const limits = section('Limitations')
    const shared = /^- \*\*Several machines.*?(?=^- )/ms.exec(limits)?.[0] ?? ''
    expect(shared).toContain('(docs/manual/several-machines.md)')
    expect(shared).not.toMatch(/webhook|runs|repair|compact|review/)
  })

  test('every page is linked from the index of pages, and every decision from theirs', () => {
    const linked = (from: string, path: string) => read(from).includes(`](${path})`)
    const indexed = pages.filter((path) => !/README\.md$/.test(path))
    const isCommand = (path: string) => path.startsWith('docs/reference/commands/')
    const lost = indexed.filter((path) =>
      isCommand(path)
        ? !linked('docs/reference/commands.md', path.replace('docs/reference/', ''))
        : !linked('docs/README.md', path.replace('docs/', '')),
    )
    expect(lost).toEqual([])
    expect(linked('README.md', 'docs/README.md')).toBe(true)
    const decisions = filesOf('docs/decisions').map((path) => path.replace('docs/decisions/', ''))
    const indexOfDecisions = 'docs/decisions/README.md'
    expect(linked('ARCHITECTURE.md', indexOfDecisions)).toBe(true)
    expect(decisions.filter((name) => name !== 'README.md' && !linked(indexOfDecisions, name))).toEqual([])
  })

  test('README and ARCHITECTURE.md stay short', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(150)
    expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(150)
  })

  test('files that pages show are shown whole', () => {
    const shown = pages.flatMap((page) =>
      [...read(page).matchAll(/^( *)<!-- file: (\S+) -->\n *```\w+\n(.*?)^ *```$/gms)].map(
        ([, indent = '', path = '', text = '']) => ({
          path,
          text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        }),
      ),
    )
    expect(shown.length).toBeGreaterThan(0)
    for (const { path, text } of shown) expect(text, path).toBe(read(path))
  })

  test('documents name files and folders that are there', () => {
    const named = ['CONTRIBUTING.md', 'ARCHITECTURE.md', ...filesOf('docs')].flatMap((path) =>
      found(/(?<=`)(?:src|test|bench)\/[\w./-]+(?=`)/g, read(path)).map((name) => [path, name] as const),
    )
    expect(named.length).toBeGreaterThan(60)
    expect(named.filter(([, name]) => !existsSync(join(root, name)))).toEqual([])
  })

  test('its two commands are alone on their lines, and the test command is what CI runs', () => {
    const lines = read('README.md').split('\n')
    expect(lines).toContain('npm ci && npx enrich fixtures/companies.csv -o out.parquet')
    expect(lines).toContain('npm ci && npm test')
    expect(lines).toContain('npm ci && npm pack')
    expect(read('.ci/run')).toContain("test_command='npm ci && npm test'")
  })

  test('npx fetches nothing: every call of it but the first command is told not to install', () => {
    const documents = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      ...filesOf('docs'),
      ...filesOf('examples'),
      ...filesOf('fixtures').filter((path) => path.endsWith('.md')),
    ]
    const calls = documents.flatMap((path) =>
      [...read(path).matchAll(/^.*\bnpx .*$/gm)].map(([line]) => line),
    )
    expect(calls.length).toBeGreaterThan(1)
    const unsafe = calls.filter((line) => {
      const bare = line.replaceAll('npx --no-install ', '')
      return (
        bare !== 'npm ci && npx enrich fixtures/companies.csv -o out.parquet' && /\bnpx [a-z-]/.test(bare)
      )
    })
    // One is there to warn of it.
    expect(unsafe.filter((line) => !line.includes('do not type'))).toEqual([])
  })

  test('packed and installed files have the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(found(/enrich-[\d.]+\.tgz/g)).toEqual([`enrich-${version}.tgz`])
    const images = filesOf('examples').flatMap((path) => found(/(?<=image: )enrich:\S+/g, read(path)))
    expect(unique(images)).toEqual([`enrich:${version}`])
    expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'))
  })

  test('every dependency is explained in its decision', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
      read('package.json'),
    ) as Record<string, object>
    const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
    const decision = read('docs/decisions/0002-dependencies.md')
    expect(names.filter((name) => !decision.includes(`\`${name}\``))).toEqual([])
  })
})

test('no file names a package host, a path of somebody else’s machine, or a folder beside the project', () => {
  // In pieces: this file is one of those that are read.
  const joined = (...pieces: string[]) => pieces.join('')
  const unwanted = [
    joined('shared', '/'),
    joined('/root', '/'),
    joined('/Users', '/'),
    joined('"resolved', '":'),
  ]
  const home = new RegExp(joined('(?<![\\w.$~])/home', '/\\w'))
  const host = /\b(registry|packages?|npm)\.[a-z0-9-]+\.(org|com|net|io|dev)\b/
  const faults = projectFiles().flatMap((path) => {
    const text = read(path)
    const words = unwanted.filter((word) => text.includes(word))
    return [
      ...words,
      ...(home.test(text) ? ['a home folder'] : []),
      ...(host.test(text) ? ['a package host'] : []),
    ].map((word) => `${path}: ${word}`)
  })
  expect(faults).toEqual([])
})

/** As the importer lists them to somebody who names a wrong one. */
function importFields(): string[] {
  try {
    resolveColumns(['name'], { name: 'name', nickname: 'name' })
  } catch (error) {
    if (error instanceof UserError) return error.hint?.replace('fields: ', '').split(', ') ?? []
    throw error
  }
  return []
}

/** What is versioned, found without git: an archive of the project is tested too. */
function projectFiles(): string[] {
  const topLevel =
    /^(?:[A-Z]+\.md|LICENSE|Dockerfile|package(?:-lock)?\.json|tsconfig\.json|pipeline\.config\.example\.json)$/
  const top = readdirSync(root).filter(
    (name) => topLevel.test(name) || /\.config\.js$|^\.\w*ignore$/.test(name),
  )
  return [
    ...top,
    '.ci/run',
    '.ci/node',
    '.ci/release-files',
    ...['src', 'test', 'bench', 'fixtures', 'docs', 'examples', '.github'].flatMap(filesOf),
  ]
}

function filesOf(folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        /\.(?:ts|js|mjs|json|md|csv|ndjson|txt|sh|yml|yaml|py|service|timer)$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
}

/** What the headings of a document are linked by. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}
