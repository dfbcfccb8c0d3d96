const SHOWN = 5;

function sample(values: readonly string[]): string {
  const more = values.length > SHOWN ? `, … ${values.length - SHOWN} more` : '';
  return values.slice(0, SHOWN).join(', ') + more;
}

function duplicatesOf(values: Iterable<string>): string[] {
  const seen = new Set<string>();
  const doubled = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) doubled.add(value);
    else seen.add(value);
  }
  return [...doubled];
}

export interface ConservationOptions {
  /** Ids that may or may not be in `actual`: the client never got its whole answer. */
  inDoubt?: Iterable<string>;
}

/**
 * Conservation: expected ⊆ actual ⊆ expected ∪ in doubt, each id once. Sets, never totals: one loss
 * and one duplicate have the right sum.
 * @throws Error that lists what was lost, doubled and invented.
 */
export function assertSameIds(
  expected: Iterable<string>,
  actual: Iterable<string>,
  options: ConservationOptions = {},
): void {
  const wanted = new Set(expected);
  const counted = [...actual];
  const found = new Set(counted);
  const inDoubt = new Set(options.inDoubt ?? []);
  const lost = [...wanted].filter((id) => !found.has(id));
  const doubled = duplicatesOf(counted);
  const invented = [...found].filter((id) => !wanted.has(id) && !inDoubt.has(id));
  if (lost.length + doubled.length + invented.length === 0) return;
  const lines = [`ids differ: ${wanted.size} expected, ${counted.length} found, ${inDoubt.size} in doubt`];
  if (lost.length > 0) lines.push(`  lost (${lost.length}): ${sample(lost)}`);
  if (doubled.length > 0) lines.push(`  doubled (${doubled.length}): ${sample(doubled)}`);
  if (invented.length > 0) lines.push(`  invented (${invented.length}): ${sample(invented)}`);
  throw new Error(lines.join('\n'));
}
