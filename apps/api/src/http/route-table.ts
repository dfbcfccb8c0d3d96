/** Every registered route, for 405 answers and for the test that none is left without a key. */
export class RouteTable {
  readonly #routes: { url: string; pattern: RegExp; methods: Set<string> }[] = [];

  /** `url` in Fastify's form: `/a/:b` and a trailing `*`. */
  add(url: string, methods: string | readonly string[]): void {
    // CORS answers OPTIONS everywhere.
    const list = [methods].flat().filter((method) => method !== 'OPTIONS');
    if (list.length === 0) return;
    const known = this.#routes.find((route) => route.url === url);
    if (known !== undefined) list.forEach((method) => known.methods.add(method));
    else this.#routes.push({ url, pattern: toPattern(url), methods: new Set(list) });
  }

  all(): { method: string; url: string }[] {
    return this.#routes.flatMap(({ url, methods }) => [...methods].map((method) => ({ method, url })));
  }

  /** Methods that the address answers, sorted; none when no route matches it. */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0] ?? url;
    const matching = this.#routes.filter((route) => route.pattern.test(path));
    return [...new Set(matching.flatMap((route) => [...route.methods]))].sort();
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*/g, '.*');
  return new RegExp(`^${source}/?$`);
}
