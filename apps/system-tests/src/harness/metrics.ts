import { call } from './http.js';

/**
 * Sum of a metric over its labels, as a process says now; 0 when it has no such line. `labels`
 * narrows it: `{cause: 'claim'}`.
 */
export async function readMetric(url: string, name: string, labels: Record<string, string> = {}): Promise<number> {
  return sumMetric((await call(`${url}/metrics`)).body, name, labels);
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
