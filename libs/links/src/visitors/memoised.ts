import { LRUCache } from 'lru-cache';

/** The same function with its last results at hand: what visits say repeats. Plain get and set: memo() of the library costs more. */
export function memoised<Result extends object | string>(
  compute: (key: string) => Result,
  maxEntries = 10_000,
): (key: string) => Result {
  const cache = new LRUCache<string, Result>({ max: maxEntries });
  return (key) => {
    let result = cache.get(key);
    if (result === undefined) cache.set(key, (result = compute(key)));
    return result;
  };
}
