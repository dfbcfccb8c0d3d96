import { HEADER_NAMES, type HeaderName, type RequestHeaders } from './exchange.js';

export interface Head {
  method: 'GET' | 'HEAD';
  url: string;
  headers: RequestHeaders;
}

const LONGEST_HEAD = 16_384;
/**
 * One whole head and nothing behind it: GET or HEAD, a target that is a path of printable ASCII, fields of a token, a
 * colon, and text without controls. Less than Node takes: what is not of this form is Node's to read.
 */
const USUAL = /^(?:GET|HEAD) \/[!-~]* HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*\r\n){1,100}\r\n$/;
/** With one of these a request is more than its head, or the connection more than a row of requests. */
const HANDED_OVER = [
  ...['content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'keep-alive'],
  ...['proxy-connection', 'te', 'trailer', 'http2-settings'],
] as const;

type Field = { name: string; read: HeaderName | undefined };

/** By length: a name is compared with one or two, and no text is made of it. */
const FIELDS: Field[][] = [];
for (const name of [...HEADER_NAMES, ...HANDED_OVER]) {
  const read = HEADER_NAMES.find((one) => one === name);
  (FIELDS[name.length] ??= []).push({ name, read });
}

const KEEPS = /^[\t ]*keep-alive[\t ]*$/i;
const SPACE = 32;
const TAB = 9;
const LOWER = 32;

/**
 * The head of a usual request, as Node would hand it over. Undefined: Node's parser has to read it; also where it is
 * incomplete, or something follows it.
 */
export function readHead(bytes: Buffer): Head | undefined {
  if (bytes.length > LONGEST_HEAD) return undefined;
  const text = bytes.toString('latin1');
  if (!USUAL.test(text)) return undefined;
  const method = text.startsWith('G') ? 'GET' : 'HEAD';
  const firstEnd = text.indexOf('\r\n');
  const url = text.slice(method.length + 1, firstEnd - ' HTTP/1.1'.length);
  const headers = noHeaders();
  for (let at = firstEnd + 2, end = 0; at < text.length - 2; at = end + 2) {
    const colon = text.indexOf(':', at);
    end = text.indexOf('\r\n', colon);
    const field = fieldAt(text, at, colon);
    if (field === undefined) continue;
    if (field.read === undefined) {
      if (field.name === 'connection' && KEEPS.test(text.slice(colon + 1, end))) continue;
      return undefined;
    }
    if (headers[field.read] !== undefined) return undefined;
    headers[field.read] = trimmed(text, colon + 1, end);
  }
  return headers.host === undefined ? undefined : { method, url, headers };
}

function fieldAt(text: string, from: number, to: number): Field | undefined {
  const fields = FIELDS[to - from];
  if (fields === undefined) return undefined;
  return fields.find(({ name }) => {
    // The last letters differ most.
    for (let at = name.length - 1; at >= 0; at -= 1) {
      const code = text.charCodeAt(from + at);
      const isUpper = code >= 65 && code <= 90;
      if ((isUpper ? code | LOWER : code) !== name.charCodeAt(at)) return false;
    }
    return true;
  });
}

/** Not trim(): that also takes 0xA0, a byte of the value. */
function trimmed(text: string, from: number, to: number): string {
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** All of one shape. */
function noHeaders(): { -readonly [Name in HeaderName]: string | undefined } {
  return {
    host: undefined,
    'user-agent': undefined,
    'accept-language': undefined,
    cookie: undefined,
    referer: undefined,
    dnt: undefined,
    'sec-gpc': undefined,
    'sec-ch-ua': undefined,
    'sec-ch-ua-mobile': undefined,
    'sec-ch-ua-platform': undefined,
    'sec-fetch-dest': undefined,
    'sec-purpose': undefined,
    purpose: undefined,
    'x-purpose': undefined,
    'x-moz': undefined,
    'x-forwarded-for': undefined,
    'x-forwarded-proto': undefined,
    traceparent: undefined,
  };
}
