import { BASE_PATH } from '../../app/base-path.js';
import type { Question } from '../view/view.js';
import type { Scope } from './queries.js';

export const EXPORT_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A statistic as a file, of the same scope, range and filters; the browser sends the session along. */
export function exportAddress(
  path: string,
  asked: Scope & Question & { interval?: string; orphans?: string },
  format: ExportFormat,
): string {
  const query = new URLSearchParams();
  for (const [name, value = []] of Object.entries<string | readonly string[] | undefined>({ ...asked })) {
    for (const one of [value].flat()) query.append(name, one);
  }
  query.append('format', format);
  return `${BASE_PATH}/rest/v3/statistics/${path}?${query.toString()}`;
}
