import ts from 'typescript'
import type { PublicTypes, DescribeMember, Member } from './public-types.js'

const indent = '  '

/**
 * Returns the declarations of the package: what `src/index.ts` exports, in one file without imports. A program compiles
 * with them whatever else is installed, since they name only types of the language and of the web.
 */
export function buildDeclarations(types: PublicTypes, describe: DescribeMember): string {
  return new DeclarationWriter(types, describe).write()
}

class DeclarationWriter {
  /** Names of types by their symbols, in the order in which they are first named. */
  readonly #names = new Map<ts.Symbol, string>()
  readonly #isExported = new Set<ts.Symbol>()

  constructor(
    private readonly types: PublicTypes,
    private readonly describe: DescribeMember,
  ) {}

  write(): string {
    const exported = this.types.listExports('index.ts')
    for (const [name, symbol] of exported) {
      this.#isExported.add(symbol)
      if ((symbol.flags & ts.SymbolFlags.Type) !== 0) this.#names.set(symbol, name)
    }
    const values = exported
      .filter(([, symbol]) => (symbol.flags & ts.SymbolFlags.Type) === 0)
      .map(([name, symbol]) => this.#writeValue(name, symbol))
    // Writing a type may name more types.
    const written: string[] = []
    for (const [symbol, name] of this.#names) written.push(this.#writeType(name, symbol))
    const note = '// Generated from the code by `npm run docs`.'
    return `${[note, ...values, ...written, 'export {}'].join('\n\n')}\n`
  }

  #writeValue(name: string, symbol: ts.Symbol): string {
    const type = this.types.checker.getTypeOfSymbol(symbol)
    const doc = formatDoc(this.types.getDoc(symbol), '')
    const [signature] = type.getCallSignatures()
    if (signature === undefined) return `${doc}export declare const ${name}: ${this.#print(type, '', [])}`
    return `${doc}export declare function ${name}${this.#printSignature(signature, '): ')}`
  }

  #writeType(name: string, symbol: ts.Symbol): string {
    const prefix = this.#isExported.has(symbol) ? 'export ' : ''
    const doc = formatDoc(this.types.getDoc(symbol), '')
    const type = this.types.checker.getDeclaredTypeOfSymbol(symbol)
    if ((symbol.flags & ts.SymbolFlags.Class) !== 0)
      return doc + prefix + this.#printClass(name, symbol, type)
    if ((symbol.flags & ts.SymbolFlags.Interface) !== 0) {
      const base = this.#findLibraryBase(type)
      return `${doc}${prefix}interface ${name}${base} ${this.#printMembers(this.types.listMembers(type), '', [])}`
    }
    return `${doc}${prefix}type ${name} = ${this.#print(type, '', [], symbol)}`
  }

  /** ` extends AsyncIterable<RunEvent>`, or an empty text. */
  #findLibraryBase(type: ts.Type): string {
    const bases = type.isClassOrInterface() ? this.types.checker.getBaseTypes(type) : []
    const [base] = bases.filter((one) => this.types.findNamed(one) === null && one.symbol.name !== '__type')
    return base === undefined ? '' : ` extends ${this.#print(base, '', [])}`
  }

  #printClass(name: string, symbol: ts.Symbol, type: ts.Type): string {
    const members = this.types.listMembers(type).filter((member) => isOfFile(member.symbol, symbol))
    const constructor = this.types.checker.getTypeOfSymbol(symbol).getConstructSignatures()[0]
    const made =
      constructor === undefined
        ? ''
        : `\n${indent}constructor${this.#printSignature(constructor, ')', indent)}`
    const body = this.#printMembers(members, '', [])
    return `declare class ${name} extends Error {${made}${body.slice(1)}`
  }

  #printSignature(signature: ts.Signature, end: '): ' | ')', at = ''): string {
    const parameters = signature.parameters.map((parameter) => {
      const declaration = this.types.getDeclaration(parameter)
      const isOptional = ts.isParameter(declaration) && this.types.checker.isOptionalParameter(declaration)
      const whole = this.types.checker.getTypeOfSymbol(parameter)
      const type = isOptional ? this.types.checker.getNonNullableType(whole) : whole
      return `${parameter.name}${isOptional ? '?' : ''}: ${this.#printMember(parameter, type, at, [])}`
    })
    const result = end === ')' ? '' : this.#print(signature.getReturnType(), '', [])
    return `(${parameters.join(', ')}${end}${result}`
  }

  #printMembers(members: readonly Member[], at: string, path: readonly string[]): string {
    if (members.length === 0) return '{}'
    const inner = at + indent
    const lines = members.map(({ name, symbol, isOptional, isReadonly, type }) => {
      const own = [...path, name]
      const doc = formatDoc(this.describe(own) ?? this.types.getDoc(symbol), inner)
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
      return `${doc}${inner}${isReadonly ? 'readonly ' : ''}${key}${isOptional ? '?' : ''}: ${this.#printMember(symbol, type, inner, own)}`
    })
    return `{\n${lines.join('\n')}\n${at}}`
  }

  #printMember(symbol: ts.Symbol, type: ts.Type, at: string, path: readonly string[]): string {
    const declared = this.types.findDeclared(symbol)
    return declared === null ? this.#print(type, at, path) : this.#nameOf(declared)
  }

  /** `at`: the indentation of the line. `path`: the members that lead to the type. `own`: the alias that is declared. */
  #print(type: ts.Type, at: string, path: readonly string[], own?: ts.Symbol): string {
    const named = this.types.findNamed(type)
    if (named !== null && named !== own) return this.#nameOf(named)
    if (type.isUnion() && (type.flags & ts.TypeFlags.Boolean) === 0) {
      const members = this.types.listUnion(type)
      const isLong = members.length > 4
      const texts = members.map((one) => this.#print(one, isLong ? at + indent : at, path))
      const isNone = (text: string) => text === 'null' || text === 'undefined'
      const sorted = [...texts.filter((text) => !isNone(text)), ...texts.filter(isNone)]
      return isLong ? sorted.map((text) => `\n${at}${indent}| ${text}`).join('') : sorted.join(' | ')
    }
    if (type.isStringLiteral() || type.isNumberLiteral()) return JSON.stringify(type.value)
    return (type.flags & ts.TypeFlags.Object) !== 0 || type.isIntersection()
      ? this.#printObject(type, at, path)
      : this.types.checker.typeToString(type)
  }

  #printObject(type: ts.Type, at: string, path: readonly string[]): string {
    const { checker } = this.types
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference)
      const text = this.#print(item as ts.Type, at, path)
      const isList = type.symbol.name === 'ReadonlyArray'
      return `${isList ? 'readonly ' : ''}${/[ |]/.test(text) && !text.startsWith('{') ? `(${text})` : text}[]`
    }
    if (checker.isTupleType(type)) {
      const items = checker
        .getTypeArguments(type as ts.TypeReference)
        .map((one) => this.#print(one, at, path))
      return `readonly [${items.join(', ')}]`
    }
    const [index] = checker.getIndexInfosOfType(type)
    if (index !== undefined && type.getProperties().length === 0)
      return `{ readonly [key: string]: ${this.#print(index.type, at, path)} }`
    if (type.isClassOrInterface() || ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0) {
      const { name } = type.symbol
      if (!languageTypes.has(name)) throw new Error(`the package has no declaration of ${name}`)
      // Further arguments have defaults.
      const [first] = checker.getTypeArguments(type as ts.TypeReference)
      return first === undefined ? name : `${name}<${this.#print(first, at, path)}>`
    }
    return this.#printMembers(this.types.listMembers(type), at, path)
  }

  #nameOf(symbol: ts.Symbol): string {
    const known = this.#names.get(symbol)
    if (known !== undefined) return known
    const { name } = symbol
    if ([...this.#names.values()].includes(name))
      throw new Error(`two types of the package are called ${name}`)
    this.#names.set(symbol, name)
    return name
  }
}

/** Types that every program has: of the language, and of the web, which browsers and Node.js share. */
const languageTypes: ReadonlySet<string> = new Set(['AbortSignal', 'AsyncIterable', 'Promise'])

const isOfFile = (symbol: ts.Symbol, other: ts.Symbol): boolean =>
  symbol.declarations?.[0]?.getSourceFile() === other.declarations?.[0]?.getSourceFile()

const formatDoc = (text: string, at: string): string => (text === '' ? '' : `${at}/** ${text} */\n`)
