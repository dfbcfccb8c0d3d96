import { canonicalAuthority, MAX_CODE_LENGTH, normalizeCode } from '@hopcount/links';

/** Longest first segment looked at: 256 characters of three bytes each, percent-encoded. */
const MAX_SEGMENT_LENGTH = MAX_CODE_LENGTH * 9;
const MAX_EXTRA_PATH_LENGTH = 2_048;
const PLAIN = /^[\w.~-]+$/;
// What no code contains (see parseCustomSlug): a slash or a control in the decoded text is no code.
const NEVER_IN_A_CODE = /[/\\\0-\x1f\x7f]/;
/** `.` and `..`, which browsers would take for steps through the target's path. */
const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

export interface RequestTarget {
  /** Undefined: no code can be meant, so the answer is 404. */
  code: string | undefined;
  /** What follows the code, from its slash on, as it was sent; mostly nothing. */
  extraPath: string;
  /** Raw, without the question mark. */
  query: string;
}

/**
 * `/code/more?query` → code, percent-decoded once, and what follows it. Anything else (no first segment, broken
 * encoding, too long) has no code. Never throws.
 */
export function readRequestTarget(url: string): RequestTarget {
  const questionMark = url.indexOf('?');
  const path = questionMark === -1 ? url : url.slice(0, questionMark);
  const query = questionMark === -1 ? '' : url.slice(questionMark + 1);
  const slash = path.indexOf('/', 1);
  const segment = slash === -1 ? path.slice(1) : path.slice(1, slash);
  const extraPath = slash === -1 ? '' : path.slice(slash);
  const isReadable = path.startsWith('/') && segment !== '' && segment.length <= MAX_SEGMENT_LENGTH;
  if (!isReadable || extraPath.length > MAX_EXTRA_PATH_LENGTH || DOT_SEGMENT.test(extraPath)) {
    return { code: undefined, extraPath, query };
  }
  return { code: decodeCode(segment), extraPath, query };
}

function decodeCode(segment: string): string | undefined {
  if (PLAIN.test(segment)) return segment.length <= MAX_CODE_LENGTH ? segment : undefined;
  try {
    const code = normalizeCode(decodeURIComponent(segment));
    return code.length <= MAX_CODE_LENGTH && !NEVER_IN_A_CODE.test(code) ? code : undefined;
  } catch {
    // The percent-encoding is damaged: no link has such a code.
    return undefined;
  }
}

/**
 * Host header → authority as domains are filed: lower case, no trailing dot, no default port of the
 * scheme. Undefined for no or an unusable host.
 */
export function normaliseHost(host: string | undefined, scheme: 'http' | 'https'): string | undefined {
  if (host === undefined || host.length > 300) return undefined;
  const authority = canonicalAuthority(host);
  if (authority === undefined) return undefined;
  const defaultPort = scheme === 'https' ? ':443' : ':80';
  return authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority;
}

/** Without the query string. A whole address (as proxies are sent) may name a user and a password: nothing of it. */
export function pathOf(url: string): string {
  if (!url.startsWith('/')) return '';
  const questionMark = url.indexOf('?');
  return questionMark === -1 ? url : url.slice(0, questionMark);
}
