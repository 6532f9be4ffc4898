import ts from 'typescript'
import type { PublicTypes } from './public-types.js'

type Schema = Readonly<Record<string, unknown>>

/**
 * Returns the JSON Schema of the lines that `run` and `retry` print with `--json`, made from their type. Objects may have
 * more keys, as later versions do.
 */
export function buildEventSchema(types: PublicTypes): Schema {
  const [, line] =
    types.listExports('cli/terminal/summary-text.ts').find(([name]) => name === 'RunLine') ?? []
  if (line === undefined) throw new Error('the type RunLine is missing')
  const writer = new SchemaWriter(types)
  const oneOf = types
    .listUnion(types.checker.getDeclaredTypeOfSymbol(line))
    .map((type) => writer.toSchema(type))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Lines of enrich run --json and enrich retry --json',
    description:
      'Generated from the code by npm run docs. Ignore types and keys that you do not know: later versions may add some.',
    anyOf: oneOf,
    $defs: writer.listDefinitions(),
  }
}

class SchemaWriter {
  readonly #definitions = new Map<string, Schema>()
  readonly #symbols = new Map<string, ts.Symbol>()

  constructor(private readonly types: PublicTypes) {}

  listDefinitions(): Schema {
    return Object.fromEntries([...this.#definitions].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  toSchema(type: ts.Type): Schema {
    const named = this.types.findNamed(type)
    return named === null ? this.#describeType(type) : this.#refer(named)
  }

  #refer(symbol: ts.Symbol): Schema {
    const { name } = symbol
    const other = this.#symbols.get(name)
    if (other !== undefined && other !== symbol) throw new Error(`two types of lines are called ${name}`)
    this.#symbols.set(name, symbol)
    if (!this.#definitions.has(name)) {
      const type = this.types.checker.getDeclaredTypeOfSymbol(symbol)
      // A type may contain itself.
      this.#definitions.set(name, {})
      this.#definitions.set(name, { ...describe(this.types.getDoc(symbol)), ...this.#describeType(type) })
    }
    return { $ref: `#/$defs/${name}` }
  }

  #describeType(type: ts.Type): Schema {
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (type.isUnion() && (type.flags & ts.TypeFlags.Boolean) === 0) return this.#describeUnion(type)
    const name = this.types.checker.typeToString(type)
    if (name === 'string' || name === 'number' || name === 'boolean' || name === 'null') return { type: name }
    if (name === 'true' || name === 'false') return { const: name === 'true' }
    if ((type.flags & ts.TypeFlags.Object) === 0 && !type.isIntersection())
      throw new Error(`a line has a value of the type ${name}`)
    return this.#describeObject(type)
  }

  #describeUnion(type: ts.Type): Schema {
    const members = this.types.listUnion(type).filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0)
    if (members.every((one) => one.isStringLiteral() || one.isNumberLiteral()))
      return { enum: members.map((one) => (one as ts.LiteralType).value) }
    const [only] = members
    return members.length === 1 && only !== undefined
      ? this.toSchema(only)
      : { anyOf: members.map((one) => this.toSchema(one)) }
  }

  #describeObject(type: ts.Type): Schema {
    const { checker } = this.types
    if (checker.isArrayType(type)) {
      const [item] = checker.getTypeArguments(type as ts.TypeReference)
      return { type: 'array', items: this.toSchema(item as ts.Type) }
    }
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type as ts.TypeReference).map((one) => this.toSchema(one))
      return { type: 'array', prefixItems: items, minItems: items.length, maxItems: items.length }
    }
    const members = this.types.listMembers(type)
    const [index] = checker.getIndexInfosOfType(type)
    if (index !== undefined && members.length === 0)
      return { type: 'object', additionalProperties: this.toSchema(index.type) }
    const properties = members.map(({ name, symbol, type: of }) => {
      const declared = this.types.findDeclared(symbol)
      const schema = declared === null ? this.toSchema(of) : this.#refer(declared)
      return [name, { ...describe(this.types.getDoc(symbol)), ...schema }] as const
    })
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: members.flatMap(({ name, isOptional }) => (isOptional ? [] : [name])),
    }
  }
}

const describe = (description: string): Schema => (description === '' ? {} : { description })
