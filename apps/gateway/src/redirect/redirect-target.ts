import type { BlockAction } from '@hopcount/contracts';
import { type BlockList, decodeFormValue } from '@hopcount/links';

const PRINTABLE_ASCII = /^[!-~]+$/;
const WEB = new Set(['http:', 'https:']);
/** A longer query is not handed on: the whole Location has to fit the headers other servers take. */
export const MAX_FORWARDED_QUERY = 8_192;

/** What is held against an address before anybody is sent there. */
export interface TargetRules {
  schemes: readonly string[];
  /** `/code/` is `/code`. */
  ignoresSlash?: boolean | undefined;
  blocks: Pick<BlockList, 'onTarget' | 'onText' | 'onLink' | 'warnsByText'>;
}

/**
 * Where a link leads. The address was checked when it was stored; it is checked again here, because the row may have
 * come from an import, an older version or a hand. What is sent is ASCII: bytes beyond it mean different things to
 * different clients.
 */
export class RedirectTarget {
  private constructor(
    readonly text: string,
    /** `block`: nobody is sent there, and it may be said. `warn`: a page that names it comes first. */
    readonly action: BlockAction | undefined,
    private readonly isFixed = false,
  ) {}

  /** Undefined when nobody may be sent there. */
  static of(url: string, { schemes, blocks }: TargetRules): RedirectTarget | undefined {
    const parsed = URL.parse(url);
    if (parsed === null || !schemes.includes(parsed.protocol.slice(0, -1))) return undefined;
    const action = blocks.onTarget(parsed);
    // It opens another program, which nobody expects of a link.
    if (!WEB.has(parsed.protocol))
      return new RedirectTarget(parsed.href.replaceAll(' ', '%20'), action ?? 'warn', true);
    // "http:/host" and "http:host" parse too, but as a Location they are relative to us.
    const asWritten = PRINTABLE_ASCII.test(url) && /^https?:\/\//i.test(url);
    return new RedirectTarget(asWritten ? url : parsed.href, action);
  }

  /**
   * With the path behind the code (`/more`, or nothing) and the parameters the visitor came with, names and values as
   * they were written. Parameters the target has itself cannot be replaced. Other schemes than those of the web get
   * nothing added: a visitor's `bcc` would be one of the mail.
   */
  with(extraPath: string, query: string): string {
    if (this.isFixed) return this.text;
    // Not kept: a gateway holds some for each link, and most visitors add nothing.
    const [beforeFragment, fragment] = cutAt(this.text, '#');
    const [ownPath, ownQuery] = cutAt(beforeFragment, '?');
    const ownNames = new Set(parametersOf(ownQuery.slice(1)).map(nameOf));
    const given = query.length > MAX_FORWARDED_QUERY ? [] : parametersOf(query);
    const added = given.filter((parameter) => !ownNames.has(nameOf(parameter))).map(encodeQuery);
    const path = extraPath === '' ? ownPath : pathBefore(ownPath, extraPath) + encodePath(extraPath);
    if (added.length === 0) return path + ownQuery + fragment;
    const joined = ownQuery.length > 1 ? `${ownQuery}&` : '?';
    return path + joined + added.join('&') + fragment;
  }
}

/** Without its last slash, of which the extra path brings one. */
function pathBefore(path: string, extraPath: string): string {
  return path.endsWith('/') && extraPath.startsWith('/') ? path.slice(0, -1) : path;
}

/** The second part begins with the mark, or is empty. */
function cutAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function parametersOf(query: string): string[] {
  return query === '' ? [] : query.split('&').filter((parameter) => parameter !== '');
}

/** Up to a bracket: servers that read `a[]` as a list take it for `a`. */
function nameOf(parameter: string): string {
  const name = decodeFormValue(parameter.split('=', 1)[0] as string);
  const bracket = name.indexOf('[');
  return bracket > 0 ? name.slice(0, bracket) : name;
}

/** Node hands over each byte as one character. */
function encodeQuery(text: string): string {
  return text.replace(/[^!-~]|["#<>]/g, percentEncode);
}

/** A backslash is a slash to browsers. */
function encodePath(text: string): string {
  return text.replace(/[^!-~]|["#<>?\\]/g, percentEncode);
}

function percentEncode(character: string): string {
  return `%${Buffer.from(character, 'latin1').toString('hex').toUpperCase()}`;
}
