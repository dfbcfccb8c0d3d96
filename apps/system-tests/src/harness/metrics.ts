import { call } from './http.js';

/**
 * Sum of a metric over its labels and over processes, as they say now; 0 when there is no such line. `labels`
 * narrows it: `{cause: 'claim'}`.
 */
export async function readMetric(
  opsUrls: readonly string[],
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const pages = await Promise.all(opsUrls.map((url) => call(`${url}/metrics`)));
  return sumMetric(pages.map(({ body }) => body).join('\n'), name, labels);
}

export function sumMetric(text: string, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, metric, given = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (metric === name && wanted.every((pair) => given.split(',').includes(pair))) sum += Number(value);
  }
  return sum;
}
