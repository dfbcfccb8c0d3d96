/** Every registered route, for 405 answers and for the test that none is left without a key. */
export class RouteTable {
  readonly #routes: { url: string; pattern: RegExp; wildcards: number; methods: Set<string> }[] = [];

  /** `url` in Fastify's form: `/a/:b` and a trailing `*`. */
  add(url: string, methods: string | readonly string[]): void {
    // CORS answers OPTIONS everywhere.
    const list = [methods].flat().filter((method) => method !== 'OPTIONS');
    if (list.length === 0) return;
    const known = this.#routes.find((route) => route.url === url);
    if (known !== undefined) list.forEach((method) => known.methods.add(method));
    else this.#routes.push({ url, pattern: toPattern(url), wildcards: wildcardsIn(url), methods: new Set(list) });
  }

  all(): { method: string; url: string }[] {
    return this.#routes.flatMap(({ url, methods }) => [...methods].map((method) => ({ method, url })));
  }

  /**
   * Methods of the route that an address is of, sorted; none when no route matches it. `/short-urls/batch` is its own route, not a
   * link of that code.
   */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0] ?? url;
    const matching = this.#routes.filter((route) => route.pattern.test(path));
    const fewest = Math.min(...matching.map(({ wildcards }) => wildcards));
    const own = matching.filter(({ wildcards }) => wildcards === fewest);
    return [...new Set(own.flatMap((route) => [...route.methods]))].sort();
  }
}

function wildcardsIn(url: string): number {
  return url.match(/:\w+|\*/g)?.length ?? 0;
}

function toPattern(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}/?$`);
}
