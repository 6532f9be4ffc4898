/**
 * Returns the cached value of a key, or computes it. The cache is emptied when it has `countMax` values, which is cheaper
 * than the removal of the oldest ones.
 */
export function getOrCompute<Key, Value extends object | string | number | null>(
  cache: Map<Key, Value>,
  countMax: number,
  key: Key,
  compute: (key: Key) => Value,
): Value {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const value = compute(key)
  if (cache.size >= countMax) cache.clear()
  cache.set(key, value)
  return value
}
