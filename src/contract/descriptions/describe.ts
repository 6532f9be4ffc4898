import * as z from 'zod'

/** The description of a field; `schema` replaces its JSON Schema if the wire format differs from the parser. */
export type FieldText = string | { readonly text: string; readonly schema: Readonly<Record<string, unknown>> }

type FieldTexts<Shape extends z.ZodObject> = { readonly [Key in keyof Shape['shape']]: FieldText }

/** The shapes with a name in the documents, by that name (`id`). */
export const namedShapes = z.registry<{ id: string; text: string }>()

const fieldTexts = new WeakMap<object, Readonly<Record<string, FieldText>>>()

/** Gives a shape a name in the documents. A field without a text does not compile. */
export function name<Shape extends z.ZodObject>(
  id: string,
  shape: Shape,
  text: string,
  fields: FieldTexts<Shape>,
): void {
  namedShapes.add(shape, { id, text })
  fieldTexts.set(shape, fields)
}

/** Describes the fields of a shape that is printed inline. */
export function describeFields<Shape extends z.ZodObject>(shape: Shape, fields: FieldTexts<Shape>): void {
  fieldTexts.set(shape, fields)
}

/** Describes the fields of a block that may be null, optional or in a list. Throws if the block is no object. */
export function describeBlock(block: z.core.$ZodType, fields: Readonly<Record<string, FieldText>>): void {
  let inner = block
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional) inner = inner.unwrap()
  if (inner instanceof z.ZodArray) inner = inner.element
  if (!(inner instanceof z.ZodObject)) throw new Error('the block has no fields to describe')
  fieldTexts.set(inner, fields)
}

export function getFieldTexts(schema: object): Readonly<Record<string, FieldText>> | undefined {
  return fieldTexts.get(schema)
}
