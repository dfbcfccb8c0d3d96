interface Kept<Result> {
  result: Result;
  isAskedAgain: boolean;
}

/**
 * The same function with its last results at hand: what visits say repeats. Results leave in the order they came, those that were
 * asked for since then once more behind the others (CLOCK): a result at hand costs one look into a map, where an order of last
 * uses, as `lru-cache` has it, took a tenth of a consumer's time.
 */
export function memoised<Result extends object | string>(
  compute: (key: string) => Result,
  maxEntries = 10_000,
): (key: string) => Result {
  const results = new Map<string, Kept<Result>>();
  /** What is before its place has left. */
  const oldest = results.entries();
  const makeRoom = () => {
    for (const [key, kept] of oldest) {
      results.delete(key);
      if (!kept.isAskedAgain) return;
      kept.isAskedAgain = false;
      results.set(key, kept);
    }
  };
  return (key) => {
    const kept = results.get(key);
    if (kept !== undefined) {
      kept.isAskedAgain = true;
      return kept.result;
    }
    const result = compute(key);
    if (results.size >= maxEntries) makeRoom();
    results.set(key, { result, isAskedAgain: false });
    return result;
  };
}
