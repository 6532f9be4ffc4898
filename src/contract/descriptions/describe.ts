import * as z from 'zod'

/** What a field is to its reader; `schema` stands in for its JSON Schema where the wire differs from the parser. */
export type FieldText = string | { readonly text: string; readonly schema: Readonly<Record<string, unknown>> }

type FieldTexts<Shape extends z.ZodObject> = { readonly [Key in keyof Shape['shape']]: FieldText }

/** The shapes that have a name in the documents, by that name (`id`). */
export const namedShapes = z.registry<{ id: string; text: string }>()

const fieldTexts = new WeakMap<object, Readonly<Record<string, FieldText>>>()

/** A shape of its own in the documents. Every field is described: one that is added without a text does not compile. */
export function name<Shape extends z.ZodObject>(
  id: string,
  shape: Shape,
  text: string,
  fields: FieldTexts<Shape>,
): void {
  namedShapes.add(shape, { id, text })
  fieldTexts.set(shape, fields)
}

/** Describes the fields of a shape that is printed where it is used. */
export function describeFields<Shape extends z.ZodObject>(shape: Shape, fields: FieldTexts<Shape>): void {
  fieldTexts.set(shape, fields)
}

/** The same for a block that may be null, absent or in a list. */
export function describeBlock(block: z.core.$ZodType, fields: Readonly<Record<string, FieldText>>): void {
  let inner = block
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap()
  if (inner instanceof z.ZodArray) inner = inner.element
  if (!(inner instanceof z.ZodObject)) throw new Error('a block with fields is needed')
  fieldTexts.set(inner, fields)
}

export function fieldTextsOf(schema: object): Readonly<Record<string, FieldText>> | undefined {
  return fieldTexts.get(schema)
}
