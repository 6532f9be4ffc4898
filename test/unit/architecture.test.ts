import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, normalize } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

interface SourceFile {
  /** Below src/, with forward slashes. */
  path: string
  room: string
  lineCount: number
  /** Specifiers as they are written, those of types included. */
  imports: string[]
  /** `specifier name` for each name that is imported or passed on. */
  importedNames: string[]
  /** `process.exit`, `Math.random`, `new Date`: what is reached by name without being imported. */
  members: string[]
  /** Spreads of a literal, as they are written. */
  literalSpreads: string[]
  globals: string[]
}

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** Where each room stands; imports go from a higher number to a lower one. */
const heights: Record<string, number> = {
  cli: 10,
  app: 9,
  review: 8,
  report: 7,
  config: 7,
  pipeline: 6,
  service: 6,
  registry: 6,
  connectors: 5,
  tables: 4,
  parquet: 4,
  client: 4,
  web: 4,
  platform: 3,
  core: 2,
  contract: 1,
}

/**
 * The doors of each room: the files that other rooms may import. All its other files are private to the room. A list may
 * only become shorter. A room whose aim is reached has it in `atMost`: its doors, and the names imported through them.
 */
interface Doors {
  /** Below the room, without `.ts`. */
  readonly files: string
  readonly atMost?: { readonly doors: number; readonly names?: number }
}

const doors: Record<string, Doors> = {
  app: {
    files: `
      enrich inspect-input matcher-pool open-review preview-rows propose-decisions
      registry-adapter service-connection view-rows`,
  },
  client: { files: 'client transport', atMost: { doors: 2 } },
  config: { files: 'billing file-config option options partition settings' },
  connectors: { files: 'connector connectors', atMost: { doors: 2 } },
  parquet: { files: 'duckdb parquet-files parquet-writer', atMost: { doors: 3, names: 20 } },
  pipeline: {
    files: `
      answers/joined-line checkpoint/maintenance decisions/decision-sync export-rows
      history/read-history history/run-figures inspect-rows open-review-backend output/plain-table
      own-files plan-rows read-status receiver run scheduler/scheduling`,
  },
  'pipeline/answers': {
    files: `
      answer-line column-kinds columns decided-answer first-answers first-rule joined-line
      published-state stage-answers stage-lines stage-questions`,
  },
  'pipeline/checkpoint': { files: 'checkpoint lookup maintenance open', atMost: { doors: 4, names: 40 } },
  'pipeline/decisions': {
    files: `
      company-records decided-lookups decision-sync gather-candidates review-store shared-review`,
  },
  'pipeline/history': {
    files: 'read-history run-figures run-history',
    atMost: { doors: 3 },
  },
  'pipeline/input': {
    files: 'ingest input',
    atMost: { doors: 2 },
  },
  'pipeline/output': {
    files: 'output plain-table',
    atMost: { doors: 2, names: 25 },
  },
  'pipeline/scheduler': { files: 'scheduler scheduling', atMost: { doors: 2 } },
  registry: {
    files: `
      edition evaluate/evaluation load normalize/parsed-name normalize/places read-registry`,
    atMost: { doors: 6, names: 40 },
  },
  report: { files: 'live/watch-run report', atMost: { doors: 3 } },
  review: { files: 'doubtful-rows exchange/exchange review server/review-server', atMost: { doors: 4 } },
  service: {
    files: 'accounts knowledge-provider local-service service',
    atMost: { doors: 4 },
  },
  tables: { files: 'limits-and-errors text-tables writers xlsx/xlsx-file', atMost: { doors: 4, names: 30 } },
  web: { files: 'charts html', atMost: { doors: 2 } },
}

/** The entry of the package lies beside the rooms, and only names what the library gives out. */
const entry = 'index.ts'
const roomOf = (path: string) => (path === entry ? 'cli' : (path.split('/')[0] ?? ''))

const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((path) =>
  path.replaceAll('\\', '/'),
)
const sourcePaths = paths.filter((path) => path.endsWith('.ts'))

/** Types of packages are left out: they take most of the time, and no rule is about them. */
const program = ts.createProgram(
  sourcePaths.map((path) => join(src, path)),
  {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es5.d.ts'],
    types: [],
    noResolve: true,
  },
)
/** Also sets the parents of all nodes. */
const checker = program.getTypeChecker()

function parse(path: string): ts.SourceFile {
  const parsed = program.getSourceFile(join(src, path))
  if (parsed === undefined) throw new Error(`${path} was not parsed`)
  return parsed
}

function readSource(path: string): SourceFile {
  const source = parse(path)
  const found: SourceFile = {
    path,
    room: roomOf(path),
    lineCount: source.text.trimEnd().split('\n').length,
    imports: [],
    importedNames: [],
    members: [],
    literalSpreads: [],
    globals: [],
  }
  const visit = (node: ts.Node): void => {
    note(node, found)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function note(node: ts.Node, found: SourceFile): void {
  const specifier =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined
  if (specifier !== undefined && ts.isStringLiteral(specifier)) {
    found.imports.push(specifier.text)
    found.importedNames.push(...listNames(node).map((name) => `${specifier.text} ${name}`))
  }
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    found.members.push(`${node.expression.text}.${node.name.text}`)
  }
  if (ts.isNewExpression(node) && node.arguments?.length === 0)
    found.members.push(`new ${node.expression.getText()}`)
  if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node)) {
    const { expression } = node
    const spread = ts.isAsExpression(expression) ? expression.expression : expression
    if (ts.isArrayLiteralExpression(spread) || ts.isObjectLiteralExpression(spread))
      found.literalSpreads.push(node.getText())
  }
  if (ts.isIdentifier(node) && !isDeclaredName(node)) found.globals.push(node.text)
}

/** The names in the braces of an import, as the other file calls them. */
function listNames(node: ts.Node): string[] {
  const clause = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isExportDeclaration(node)
      ? node.exportClause
      : undefined
  if (clause === undefined || ts.isNamespaceImport(clause) || ts.isNamespaceExport(clause)) return []
  return clause.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
}

/** The name of a property or of something declared here, rather than a thing reached by its name. */
function isDeclaredName(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) &&
      parent.name === node)
  )
}

const files = sourcePaths.map(readSource)

const resolveImport = (path: string, specifier: string) =>
  normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts')

/** `from -> to` for every import of one of our own files, with the rooms on both sides. */
const edges = files.flatMap(({ path, room, imports }) =>
  imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => {
      const to = resolveImport(path, specifier)
      return {
        text: `${path} -> ${to}`,
        from: path,
        to,
        fromRoom: room,
        toRoom: roomOf(to),
      }
    }),
)

/** The folders that a file lies in, the outermost first; '' holds them all. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return ['', ...names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`)]
}

/** The file or folder directly in `folder` that leads to a path; null for one that lies elsewhere. */
const childIn = (folder: string, path: string): string | null =>
  path.startsWith(folder) ? (path.slice(folder.length).split('/')[0] ?? null) : null

/** What can be reached from itself, in groups: each group is one knot. */
function circlesOf(pairs: readonly (readonly [string, string])[]): string[][] {
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of pairs) targets.set(from, (targets.get(from) ?? new Set()).add(to))
  const reachOf = (start: string): Set<string> => {
    const reached = new Set<string>()
    const open = [start]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const next of targets.get(at) ?? []) {
        if (reached.has(next)) continue
        reached.add(next)
        open.push(next)
      }
    }
    return reached
  }
  const reach = new Map([...targets.keys()].map((name) => [name, reachOf(name)]))
  const isBound = (one: string, other: string) =>
    reach.get(one)?.has(other) === true && reach.get(other)?.has(one) === true
  const knots = [...targets.keys()].filter((name) => isBound(name, name)).sort()
  const seen = new Set<string>()
  return knots.flatMap((name) => {
    if (seen.has(name)) return []
    const circle = knots.filter((other) => isBound(name, other))
    for (const member of circle) seen.add(member)
    return [circle]
  })
}

const packagesOf = ({ imports }: SourceFile) => imports.filter((specifier) => !specifier.startsWith('.'))

describe('the rooms', () => {
  test('there are these and no others', () => {
    expect(new Set(files.map(({ room }) => room))).toEqual(new Set(Object.keys(heights)))
    expect(edges.length).toBeGreaterThan(files.length)
  })

  test('every import leads to a file of ours that is there', () => {
    const known = new Set(paths.filter((path) => /\.(?:ts|json)$/.test(path)))
    expect(edges.filter(({ to }) => !known.has(to)).map(({ text }) => text)).toEqual([])
  })

  test('imports go down, never up and never sideways', () => {
    const wrong = edges.filter(
      ({ fromRoom, toRoom }) => fromRoom !== toRoom && (heights[toRoom] ?? 9) >= (heights[fromRoom] ?? 0),
    )
    expect(wrong.map(({ text }) => text)).toEqual([])
  })

  test('no file imports itself by way of others, types included', () => {
    expect(circlesOf(edges.map(({ from, to }) => [from, to]))).toEqual([])
  })

  test('no folder imports itself by way of its neighbours, at any depth', () => {
    const folders = new Set(files.flatMap(({ path }) => foldersOf(path)))
    expect(folders.size).toBeGreaterThan(40)
    const circles = [...folders].flatMap((folder) => {
      const inside = edges.flatMap(({ from, to }) => {
        const [one, other] = [childIn(folder, from), childIn(folder, to)]
        return one === null || other === null || one === other ? [] : [[one, other] as const]
      })
      return circlesOf(inside).map((circle) => `${folder}: ${circle.join(', ')}`)
    })
    expect(circles).toEqual([])
  })

  test('the service and the registry do not know the client', () => {
    const wrong = edges.filter(
      ({ fromRoom, toRoom }) => toRoom === 'client' && (fromRoom === 'service' || fromRoom === 'registry'),
    )
    expect(wrong.map(({ text }) => text)).toEqual([])
  })
})

/** What files outside a room import from it. */
function listOutsideUse(room: string): { readonly doors: string[]; readonly names: string[] } {
  const isInside = (path: string) => path.startsWith(`${room}/`)
  const outside = files.filter(({ path }) => !isInside(path))
  const targets = edges.filter(({ from, to }) => isInside(to) && !isInside(from)).map(({ to }) => to)
  const names = outside.flatMap(({ path, importedNames }) =>
    importedNames.flatMap((text) => {
      const [specifier = '', name = ''] = text.split(' ')
      if (!specifier.startsWith('.')) return []
      const to = resolveImport(path, specifier)
      return isInside(to) ? [`${to} ${name}`] : []
    }),
  )
  const toDoor = (path: string) => path.slice(room.length + 1).replace(/\.ts$/, '')
  return { doors: [...new Set(targets.map(toDoor))].sort(), names: [...new Set(names)].sort() }
}

describe('the doors', () => {
  const rooms = Object.entries(doors)

  test('every room has its doors, but for those that are open to all', () => {
    const open = ['core', 'platform', 'contract', 'cli']
    const listed = rooms.map(([room]) => room).filter((room) => !room.includes('/'))
    expect(new Set([...listed, ...open])).toEqual(new Set(Object.keys(heights)))
  })

  test.each(rooms)('%s is only imported through its doors', (room, { files: listed }) => {
    const isDoor = new Set(
      listed
        .split(/\s+/)
        .filter(Boolean)
        .map((name) => `${room}/${name}.ts`),
    )
    const isInside = (path: string) => path.startsWith(`${room}/`)
    const past = edges.filter(({ from, to }) => isInside(to) && !isInside(from) && !isDoor.has(to))
    expect(past.map(({ text }) => text)).toEqual([])
  })

  test.each(rooms)('every door of %s has a user outside', (room, { files: listed }) => {
    expect(listed.split(/\s+/).filter(Boolean).sort()).toEqual(listOutsideUse(room).doors)
  })

  const narrow = rooms.filter(([, { atMost }]) => atMost !== undefined)
  test.each(narrow)('%s has few doors, and few names go through them', (room, { atMost }) => {
    const { doors: used, names } = listOutsideUse(room)
    expect(used.length, used.join(' ')).toBeLessThanOrEqual(atMost?.doors ?? 0)
    expect(names.length, names.join('\n')).toBeLessThanOrEqual(atMost?.names ?? Infinity)
  })
})

describe('decisions are pure', () => {
  const purePaths = [
    'core/',
    'contract/',
    'pipeline/answers/answer-line.ts',
    'pipeline/answers/column-kinds.ts',
    'pipeline/answers/columns.ts',
    'pipeline/answers/decided-answer.ts',
    'pipeline/answers/joined-line.ts',
    'pipeline/answers/published-state.ts',
    'pipeline/answers/stage-lines.ts',
    'pipeline/scheduler/misdirected.ts',
    'pipeline/scheduler/outcome.ts',
    'pipeline/scheduler/record-verdicts.ts',
    'pipeline/checkpoint/transitions.ts',
    'pipeline/checkpoint/checkpoint-standing.ts',
    'pipeline/history/notify-message.ts',
    'pipeline/history/run-record.ts',
    'pipeline/history/run-summary.ts',
    'pipeline/scheduler/scheduling.ts',
    'pipeline/history/changes.ts',
    'pipeline/history/remembered-runs.ts',
    'pipeline/decisions/decision-rules.ts',
    'pipeline/answers/stage-questions.ts',
    'pipeline/input/column-content.ts',
    'pipeline/input/column-report.ts',
    'pipeline/input/detect-columns.ts',
    'pipeline/input/find-identifiers.ts',
    'core/header-words.ts',
    'pipeline/input/columns.ts',
    'pipeline/input/identifier-content.ts',
    'pipeline/input/number-cells.ts',
    'pipeline/input/row-question.ts',
    'pipeline/scheduler/polling.ts',
    'pipeline/scheduler/run-durations.ts',
    'registry/match/',
    'registry/normalize/',
  ]
  const pure = files.filter(({ path }) => purePaths.some((start) => path.startsWith(start)))

  test('the contract imports zod and nothing else', () => {
    const contract = files.filter(({ room }) => room === 'contract')
    expect(new Set(contract.flatMap(packagesOf))).toEqual(new Set(['zod']))
  })

  test('they import nothing of Node', () => {
    const wrong = pure.filter((file) => packagesOf(file).some((name) => isBuiltin(name)))
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('they know no clock, no chance and no network', () => {
    const outside = [
      'performance',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'queueMicrotask',
      'process',
      'fetch',
      'crypto',
      'globalThis',
      'require',
    ]
    const wrong = pure.flatMap(({ path, globals, members }) => [
      ...outside.filter((name) => globals.includes(name)).map((name) => `${path}: ${name}`),
      ...members
        .filter((name) => ['Math.random', 'Date.now', 'new Date'].includes(name))
        .map((name) => `${path}: ${name}`),
    ])
    expect(wrong).toEqual([])
  })
})

describe('what decides reads no count that is shown', () => {
  const tally = 'pipeline/history/tally.ts'

  test('the run hands the tally on, and does not read it', () => {
    const reading = files.filter(
      ({ path, members }) =>
        /^pipeline\/[^/]+$/.test(path) && members.some((name) => name.startsWith('tally.')),
    )
    expect(reading.map(({ path }) => path)).toEqual([])
  })

  test('the scheduler and the pure rooms cannot reach it, by no chain of imports', () => {
    const reached = new Set(
      files
        .map(({ path }) => path)
        .filter((path) => /^pipeline\/(scheduler|answers|input|checkpoint)\//.test(path)),
    )
    expect(reached.size).toBeGreaterThan(20)
    for (const path of reached) for (const { from, to } of edges) if (from === path) reached.add(to)
    expect([...reached]).not.toContain(tally)
  })
})

describe('ends and edges', () => {
  test('only src/cli/command-line.ts ends the process', () => {
    const ending = files.filter(({ members }) =>
      members.some((name) => ['process.exit', 'process.abort', 'process.reallyExit'].includes(name)),
    )
    expect(ending.map(({ path }) => path)).toEqual(['cli/command-line.ts'])
  })

  test('SQLite and DuckDB are each reached from one place, and HTTP by the client and by what connects to addresses that users name', () => {
    const places = (name: string) =>
      files.filter((file) => packagesOf(file).includes(name)).map(({ path }) => path)
    expect(places('better-sqlite3')).toEqual(['platform/sqlite.ts'])
    expect(places('@duckdb/node-api')).toEqual(['parquet/duckdb.ts'])
    expect(places('undici').sort()).toEqual([
      'client/http-transport.ts',
      'connectors/objects/http-client.ts',
      'platform/outbound/pinned-connect.ts',
      'platform/outbound/proxy.ts',
    ])
  })

  test('every package that is imported is a dependency of the package', () => {
    const text = readFileSync(join(src, '../package.json'), 'utf8')
    const { dependencies, optionalDependencies } = JSON.parse(text) as Record<string, object>
    const ours = Object.keys({ ...dependencies, ...optionalDependencies })
    const imported = new Set(
      files
        .flatMap(packagesOf)
        .filter((name) => !isBuiltin(name))
        .map((name) =>
          name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : (name.split('/')[0] ?? ''),
        ),
    )
    expect([...imported].filter((name) => !ours.includes(name))).toEqual([])
  })
})

describe('files', () => {
  test('there are at most 600, and at most 36 in a folder, but for the commands', () => {
    expect(files.length).toBeLessThanOrEqual(600)
    const counts = new Map<string, number>()
    for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    const crowded = [...counts].filter(([folder, count]) => folder !== 'cli/commands' && count > 36)
    expect(crowded).toEqual([])
  })

  test('their names are lower case, with hyphens', () => {
    const wrong = files.filter(
      ({ path }) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  test('none is called by a word that could hold anything', () => {
    const vague = /(^|[/-])(utils?|helpers?|manager|misc|common|handlers?)([/.-]|$)/
    expect(files.filter(({ path }) => vague.test(path)).map(({ path }) => path)).toEqual([])
  })

  test('none is longer than 350 lines, and half of them not longer than 200', () => {
    expect(files.filter(({ lineCount }) => lineCount > 350).map(({ path }) => path)).toEqual([])
    const lengths = files.map(({ lineCount }) => lineCount).sort((one, other) => one - other)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(200)
  })
})

test('a literal is not spread, which would only save lines: its members are written', () => {
  const spread = files.flatMap(({ path, literalSpreads }) => literalSpreads.map((text) => `${path}: ${text}`))
  expect(spread).toEqual([])
})

test('a dependency object has at most ten members', () => {
  const dependencies = sourcePaths.flatMap((path) =>
    parse(path)
      .statements.filter((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
      .filter(({ name }) => /(Deps|Context)$/.test(name.text))
      .map(({ name }) => ({
        type: `${path}: ${name.text}`,
        // Inherited and mapped members too.
        memberCount: checker.getTypeAtLocation(name).getProperties().length,
      })),
  )
  expect(dependencies.length).toBeGreaterThan(100)
  expect(dependencies.filter(({ memberCount }) => memberCount > 10)).toEqual([])
})

describe('objects of the pipeline', () => {
  /** Rows of stored tables, records of lookups and runs, and figures: data that is written or shown as a whole. */
  const records = [
    'AnswerItem',
    'Candidate',
    'Change',
    'DecisionRow',
    'KeptDecision',
    'KeptRow',
    'NotifiedRun',
    'Progress',
    'Run',
    'RunEnd',
    'RunRecord',
    'RunSummary',
    'StageFacts',
    'StoredDecision',
    'Tally',
  ]

  /** Members that others can use, inherited ones too; nested objects count on their own. */
  function countMembers(node: ts.Node): { name: string; count: number } | null {
    if (ts.isInterfaceDeclaration(node))
      return { name: node.name.text, count: checker.getTypeAtLocation(node).getProperties().length }
    if (ts.isTypeLiteralNode(node)) {
      const { parent } = node
      return {
        name: ts.isTypeAliasDeclaration(parent) ? parent.name.text : 'a type literal',
        count: node.members.length,
      }
    }
    if (!ts.isClassDeclaration(node)) return null
    const isOpen = ({ valueDeclaration: member }: ts.Symbol) =>
      member !== undefined &&
      member.getSourceFile().fileName.startsWith(src) &&
      ts.getNameOfDeclaration(member)?.kind !== ts.SyntaxKind.PrivateIdentifier &&
      (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) === 0
    const members = checker.getTypeAtLocation(node).getProperties().filter(isOpen)
    return { name: node.name?.text ?? 'a class', count: members.length }
  }

  test('none has more than ten members, but for records', () => {
    const found: string[] = []
    let seenCount = 0
    for (const path of sourcePaths.filter((one) => one.startsWith('pipeline/'))) {
      const visit = (node: ts.Node): void => {
        const counted = countMembers(node)
        if (counted !== null) seenCount++
        if (counted !== null && counted.count > 10 && !records.includes(counted.name))
          found.push(`${path}: ${counted.name} has ${counted.count}`)
        ts.forEachChild(node, visit)
      }
      visit(parse(path))
    }
    expect(seenCount).toBeGreaterThan(300)
    expect(found).toEqual([])
  })
})

test('what runs beside other tests does not wait with expect.poll, which knows only the test that began last', () => {
  const tests = fileURLToPath(new URL('../', import.meta.url))
  const waiting = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) => {
      const text = readFileSync(join(tests, path), 'utf8')
      return /\bexpect\s*\.poll\(/.test(text) && (path.startsWith('support/') || /\.concurrent\b/.test(text))
    })
  expect(waiting).toEqual([])
})
