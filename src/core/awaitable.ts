/** At once where it is there at once, else later. */
export type Awaitable<Value> = Value | Promise<Value>

/** The same calls, whose answers may come later: of a store that may be on another machine. */
export type Deferrable<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Awaitable<Awaited<Result>>
    : Store[Name]
}

/** Goes on at once where the value is there: no promise is made for it. */
export const andThen = <Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value))
