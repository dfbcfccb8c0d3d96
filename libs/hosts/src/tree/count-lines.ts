import { MAX_COUNT, MAX_COUNT_LINES } from '@hopcount/contracts';

import { asciiOf } from '../names/labels.js';
import { type Host, type HostRefusal, normaliseHost } from '../names/normalise-host.js';

/** So many are said of a text; it is refused for the first one. */
const MAX_MISTAKES = 100;

export interface HostCount {
  host: Host;
  visits: number;
}

export interface CountMistake {
  /** From 1; 0: of the whole text. */
  line: number;
  reason: HostRefusal | 'not-a-count-and-a-host' | 'count-out-of-range' | 'too-many-lines' | 'no-lines';
}

/**
 * Lines such as `9001 discuss.leetcode.com`, all or none of them; empty ones are left out, and a host may come twice.
 * Lines end with LF or CRLF.
 */
export function parseCountLines(text: string): { counts: HostCount[] } | { mistakes: CountMistake[] } {
  const counts: HostCount[] = [];
  const mistakes: CountMistake[] = [];
  let line = 0;
  for (let from = 0; from < text.length && mistakes.length < MAX_MISTAKES;) {
    const end = text.indexOf('\n', from);
    const given = text.slice(from, end === -1 ? undefined : end).replace(/\r$/, '');
    from = end === -1 ? text.length : end + 1;
    line += 1;
    if (line > MAX_COUNT_LINES) return { mistakes: [{ line, reason: 'too-many-lines' }] };
    if (given.trim() === '') continue;
    const read = parseLine(given);
    if (typeof read === 'string') mistakes.push({ line, reason: read });
    else counts.push(read);
  }
  if (mistakes.length > 0) return { mistakes };
  return counts.length === 0 ? { mistakes: [{ line: 0, reason: 'no-lines' }] } : { counts };
}

function parseLine(given: string): HostCount | CountMistake['reason'] {
  const [, count, name] = /^[ \t]*([0-9]+)[ \t]+(\S+)[ \t]*$/.exec(given) ?? [];
  if (count === undefined || name === undefined) return 'not-a-count-and-a-host';
  const visits = Number(count);
  if (visits < 1 || visits > MAX_COUNT) return 'count-out-of-range';
  const host = normaliseHost(name, { refuseCredentials: true });
  return 'refused' in host ? host.refused : { host, visits };
}

/** @param rows with names as they are kept */
export function formatCountLines(rows: Iterable<{ name: string; visits: number }>): string {
  let text = '';
  for (const { name, visits } of rows) text += `${visits} ${asciiOf(name)}\n`;
  return text;
}
