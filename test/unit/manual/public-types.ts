import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))

/** Describes a member of the config by its path; undefined for other members. */
export type DescribeMember = (path: readonly string[]) => string | undefined

/** The program of the library's entry and of the lines that commands print, with all types resolved. */
function createProgram(paths: readonly string[]): ts.Program {
  const configPath = join(src, '../tsconfig.json')
  const { config } = ts.readConfigFile(configPath, (path) => ts.sys.readFile(path)) as { config: object }
  const { options } = ts.parseJsonConfigFileContent(
    { ...config, include: [], files: [] },
    ts.sys,
    dirname(configPath),
  )
  return ts.createProgram([...paths], options)
}

/** Reads types of `src` as they are after all aliases, conditions and mappings. */
export class PublicTypes {
  readonly #program: ts.Program
  readonly checker: ts.TypeChecker

  constructor(paths: readonly string[]) {
    this.#program = createProgram(paths.map((path) => join(src, path)))
    this.checker = this.#program.getTypeChecker()
  }

  /** The exported names of a file of `src` with their symbols, in the order of the file. */
  listExports(path: string): readonly (readonly [name: string, symbol: ts.Symbol])[] {
    const source = this.#program.getSourceFile(join(src, path))
    const module = source === undefined ? undefined : this.checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${path} is not in the program`)
    return this.checker.getExportsOfModule(module).map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
      return [symbol.name, isAlias ? this.checker.getAliasedSymbol(symbol) : symbol] as const
    })
  }

  getDeclaration(symbol: ts.Symbol): ts.Declaration {
    const [declaration] = symbol.declarations ?? []
    if (declaration === undefined) throw new Error(`${symbol.name} is not declared`)
    return declaration
  }

  /** A type, alias, interface or class of ours without type arguments: it keeps its name. */
  findNamed(type: ts.Type): ts.Symbol | null {
    const alias = type.aliasSymbol
    if (alias !== undefined) return type.aliasTypeArguments === undefined && isOurs(alias) ? alias : null
    const isNamed = (type.symbol as ts.Symbol | undefined) !== undefined && type.isClassOrInterface()
    return isNamed && isOurs(type.symbol) ? type.symbol : null
  }

  /** The named type of a declaration: the type itself may have lost its name. */
  findDeclared(symbol: ts.Symbol): ts.Symbol | null {
    const [declaration] = symbol.declarations ?? []
    const isTyped =
      declaration !== undefined &&
      (ts.isPropertySignature(declaration) ||
        ts.isPropertyDeclaration(declaration) ||
        ts.isParameter(declaration) ||
        ts.isGetAccessor(declaration))
    const reference = isTyped ? declaration.type : undefined
    if (
      reference === undefined ||
      !ts.isTypeReferenceNode(reference) ||
      reference.typeArguments !== undefined
    )
      return null
    const found = this.checker.getSymbolAtLocation(reference.typeName)
    if (found === undefined) return null
    const target = (found.flags & ts.SymbolFlags.Alias) === 0 ? found : this.checker.getAliasedSymbol(found)
    const isNamed = (target.flags & (ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Interface)) !== 0
    return isNamed && isOurs(target) ? target : null
  }

  getDoc(symbol: ts.Symbol): string {
    return ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replace(/\s+/g, ' ').trim()
  }

  isInternal(symbol: ts.Symbol): boolean {
    return symbol.getJsDocTags(this.checker).some(({ name }) => name === 'internal')
  }

  /** The members that the package shows, in order. Names of well-known symbols and private names are left out. */
  listMembers(type: ts.Type): readonly Member[] {
    const members = type.getProperties().flatMap((symbol) => {
      const isHidden = /^(?:__[@#]|#)/.test(symbol.name) || this.isInternal(symbol)
      if (isHidden) return []
      const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
      const of = this.checker.getTypeOfSymbol(symbol)
      return [{ name: symbol.name, symbol, isOptional, isReadonly: isReadonlyMember(symbol), type: of }]
    })
    // Members that are only the names of a union have no order of their own.
    const isUnordered = members.every(({ symbol }) => symbol.declarations === undefined)
    return isUnordered ? members.sort((one, other) => (one.name < other.name ? -1 : 1)) : members
  }

  /** The members of a union. `undefined` that only stands for an absent member is left out, booleans are one type. */
  listUnion(type: ts.Type): readonly ts.Type[] {
    if (!type.isUnion() || (type.flags & ts.TypeFlags.Boolean) !== 0) return [type]
    // A union of unions remembers them, with their names.
    const { origin } = type as { origin?: ts.Type }
    const types = origin?.isUnion() === true ? origin.types : type.types
    const isMissing = (one: ts.Type) =>
      (one as { debugIntrinsicName?: string }).debugIntrinsicName === 'missing'
    const booleans = types.filter(({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) !== 0)
    const others = types.filter((one) => !isMissing(one) && (booleans.length < 2 || !booleans.includes(one)))
    const literals = others.filter((one) => one.isStringLiteral() || one.isNumberLiteral())
    // Their order would be that in which the compiler met them.
    literals.sort((one, other) => (one.value < other.value ? -1 : 1))
    const sorted = [...literals, ...others.filter((one) => !literals.includes(one as ts.StringLiteralType))]
    return booleans.length < 2 ? sorted : [...sorted, this.checker.getBooleanType()]
  }
}

export interface Member {
  readonly name: string
  readonly symbol: ts.Symbol
  readonly isOptional: boolean
  readonly isReadonly: boolean
  readonly type: ts.Type
}

function isOurs(symbol: ts.Symbol): boolean {
  return symbol.declarations?.every((one) => one.getSourceFile().fileName.startsWith(src)) === true
}

const isReadonlyMember = (symbol: ts.Symbol): boolean =>
  symbol.declarations?.some(
    (one) => (ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Readonly) !== 0 || ts.isGetAccessor(one),
  ) === true
