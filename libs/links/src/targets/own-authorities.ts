import { isLoopbackHost } from '@hopcount/runtime';

const LOOPBACK = 'localhost';

/** Finds those of our authorities that may be where a URL leads, so that not every one is held against every URL. */
export class OwnAuthorities {
  readonly #byHost = new Map<string, string[]>();

  constructor(authorities: Iterable<string>) {
    for (const authority of authorities) {
      const host = hostOf(`http://${authority}`);
      if (host !== undefined) this.#byHost.set(host, [...(this.#byHost.get(host) ?? []), authority]);
    }
  }

  near(longUrl: string): readonly string[] {
    return this.#byHost.get(hostOf(longUrl.trim()) ?? '') ?? [];
  }
}

/** Every name of this machine is one host. */
function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.hostname.replace(/\.+$/, '');
  if (host === undefined) return undefined;
  return isLoopbackHost(host) ? LOOPBACK : host;
}
