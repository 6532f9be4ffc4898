export type Awaitable<Value> = Value | Promise<Value>

/** The methods of `Store`, which may return promises: the store may be on another machine. */
export type Deferrable<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Awaitable<Awaited<Result>>
    : Store[Name]
}

/** Calls `next` with the value: immediately if it is not a promise, else when the promise resolves. */
export const applyWhenReady = <Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value))
