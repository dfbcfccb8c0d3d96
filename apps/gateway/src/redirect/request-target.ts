import { canonicalAuthority, MAX_CODE_LENGTH, normalizeCode } from '@hopcount/links';

/** Longest path looked at: 256 characters of three bytes each, percent-encoded, and the slash. */
const MAX_PATH_LENGTH = 1 + MAX_CODE_LENGTH * 9;
const PLAIN = /^[\w.~-]+$/;
// What no code contains (see parseCustomSlug): a slash or a control in the decoded text is no code.
const NEVER_IN_A_CODE = /[/\\\0-\x1f\x7f]/;

export interface RequestTarget {
  /** Undefined: no code can be meant, so the answer is 404. */
  code: string | undefined;
  /** Raw, without the question mark. */
  query: string;
}

/**
 * `/code?query` → code, percent-decoded once. Anything else (no or several segments, a trailing
 * slash, broken encoding, too long) has no code. Never throws.
 */
export function readRequestTarget(url: string): RequestTarget {
  const questionMark = url.indexOf('?');
  const path = questionMark === -1 ? url : url.slice(0, questionMark);
  const query = questionMark === -1 ? '' : url.slice(questionMark + 1);
  if (path.length < 2 || path.length > MAX_PATH_LENGTH || !path.startsWith('/')) return { code: undefined, query };
  return { code: decodeCode(path.slice(1)), query };
}

function decodeCode(segment: string): string | undefined {
  if (PLAIN.test(segment)) return segment.length <= MAX_CODE_LENGTH ? segment : undefined;
  try {
    const code = normalizeCode(decodeURIComponent(segment));
    return code.length <= MAX_CODE_LENGTH && !NEVER_IN_A_CODE.test(code) ? code : undefined;
  } catch {
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
