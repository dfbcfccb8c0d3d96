import type { FetchedPage } from '@hopcount/outbound';
import { Parser } from 'htmlparser2';

/** Controls, half surrogate pairs and marks that turn the direction of the text around them. */
const UNWANTED = /[\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]|(?!\s)\p{Cc}/gu;

/** What a page of HTML calls itself, in one line; null when it does not, or is something else. */
export function pageTitle({ contentType = '', body }: Pick<FetchedPage, 'contentType' | 'body'>): string | null {
  if (!/^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(contentType)) return null;
  const title = firstTitle(decode(body, contentType));
  return title.replace(UNWANTED, '').replace(/\s+/gu, ' ').trim() || null;
}

/** By byte order mark, header or `<meta>`, in this order, as browsers do; else UTF-8. */
function decode(body: Buffer, contentType: string): string {
  const label = markOf(body) ?? charsetOf(contentType) ?? metaCharset(body.toString('latin1', 0, META_WITHIN_BYTES));
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return body.toString(); // a label that nobody knows
  }
}

/** So far into a page browsers look for a `<meta>` that names its encoding. */
const META_WITHIN_BYTES = 1_024;

function markOf(body: Buffer): string | undefined {
  const start = body.toString('hex', 0, 3);
  if (start === 'efbbbf') return 'utf-8';
  return { fffe: 'utf-16le', feff: 'utf-16be' }[start.slice(0, 4)];
}

function charsetOf(text: string): string | undefined {
  return /charset\s*=\s*["']?([^\s"';]+)/i.exec(text)?.[1];
}

function metaCharset(html: string): string {
  let found: string | undefined;
  const parser = new Parser({
    onopentag: (name, { charset, 'http-equiv': header, content = '' }) => {
      if (name !== 'meta') return;
      found ??= charset ?? (header?.toLowerCase() === 'content-type' ? charsetOf(content) : undefined);
    },
  });
  parser.end(html);
  // A page whose ASCII could be read is not in UTF-16, whatever it says.
  return found === undefined || /^utf-16/i.test(found) ? 'utf-8' : found;
}

/** The first that is not the caption of a drawing. */
function firstTitle(html: string): string {
  let title = '';
  let drawings = 0;
  let state: 'before' | 'inside' | 'after' = 'before';
  const parser = new Parser({
    onopentag: (name) => {
      if (name === 'svg') drawings += 1;
      if (name === 'title' && drawings === 0 && state === 'before') state = 'inside';
    },
    ontext: (text) => {
      if (state === 'inside') title += text;
    },
    onclosetag: (name) => {
      if (name === 'svg') drawings -= 1;
      if (name === 'title' && state === 'inside') state = 'after';
    },
  });
  parser.end(html);
  return title;
}
