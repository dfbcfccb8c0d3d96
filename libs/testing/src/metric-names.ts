/** Labels with few values each; a link, a code, an address or an agent can be none of them. */
const LABELS = new Set(
  `process process_name le status path reason outcome kind operation mode job_name state class cause partition topic
   result method route code sqlstate backlog origin pool check client version limit node`.split(/\s+/),
);
const NOT_A_BASE_UNIT = /_(ms|millis|milliseconds|micros|minutes|hours|days|kb|mb|kib|mib|percent)(_total)?$/;

/** What is wrong with the names on a page of metrics, as Prometheus wants them; empty when nothing is. */
export function wrongMetricNames(page: string): string[] {
  const wrong: string[] = [];
  const own = new Set<string>();
  for (const [, name = '', type] of page.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (/^(process|nodejs)_/.test(name)) continue; // of prom-client, under the names everybody knows
    own.add(name);
    if (!name.startsWith('hopcount_')) wrong.push(`${name}: no prefix hopcount_`);
    if ((type === 'counter') !== name.endsWith('_total'))
      wrong.push(`${name}: _total is for counters, and only for them`);
    if (NOT_A_BASE_UNIT.test(name)) wrong.push(`${name}: no base unit`);
    if (type === 'histogram' && !/_(seconds|bytes|records)$/.test(name)) wrong.push(`${name}: no unit`);
  }
  if (own.size === 0) wrong.push('no metric of our own');
  for (const [, name = '', labels = ''] of page.matchAll(/^([\w:]+)\{(.*)\} \S+$/gm)) {
    if (!own.has(name.replace(/_(bucket|sum|count)$/, '')) && !own.has(name)) continue;
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) {
      if (!LABELS.has(label)) wrong.push(`${name}: label ${label}`);
    }
  }
  return [...new Set(wrong)];
}
