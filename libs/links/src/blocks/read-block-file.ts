import { type BlockValue, parseBlockedHost } from './parse-block.js';

/** Names that lists in the form of /etc/hosts begin with. */
const LOCAL = /^(localhost|broadcasthost|local|ip6-.*|0\.0\.0\.0|.*\.localdomain)$/;
const SINK = /^(0\.0\.0\.0|127\.0\.0\.1|::1?)$/;

export interface BlockFileLine {
  blocks: BlockValue[];
  /** Whether it says something else than a host to be blocked. */
  isOther: boolean;
}

/**
 * A line of a public block list: a host a line, the form of /etc/hosts (`0.0.0.0 host …`), or Adblock's `||host^`.
 * Comments (`#`, `!`, `[…]`) and names of this machine are nothing; rules that are not about a whole host are other.
 */
export function readBlockLine(line: string): BlockFileLine {
  const text = line.replace(/(^|\s)#.*$/, '').trim();
  if (text === '' || /^[![]/.test(text)) return { blocks: [], isOther: false };
  const adblock = /^\|\|([^/^$*|]+)\^$/.exec(text)?.[1];
  const words = adblock === undefined ? text.split(/\s+/) : [adblock];
  const isHostsForm = words.length > 1 && SINK.test(words[0] as string);
  if (words.length > 1 && !isHostsForm) return { blocks: [], isOther: true };
  const names = (isHostsForm ? words.slice(1) : words).filter((name) => !LOCAL.test(name));
  const hosts = names.map(parseBlockedHost);
  return {
    blocks: hosts.flatMap((value) => (value === undefined ? [] : [{ kind: 'host' as const, value }])),
    isOther: hosts.includes(undefined),
  };
}
