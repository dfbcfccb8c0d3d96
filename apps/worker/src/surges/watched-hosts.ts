import { DIRECT_HOST, UNKNOWN_HOST } from '@hopcount/contracts';
import { parentOf, siteOf } from '@hopcount/hosts';

/** A name of one kind (its place in HOST_KINDS). */
export interface WatchedHost {
  kind: number;
  /** Labels reversed. */
  name: string;
}

/** Some 200 bytes each. */
const MOST_HOSTS = 300_000;

/** Numbers of hosts and of those above them, up to their site: nobody is told that all of `com` surges. */
export class WatchedHosts {
  readonly #numbers = new Map<string, number>();
  readonly #hosts: (WatchedHost & { parent: number | undefined })[] = [];

  constructor(private readonly most = MOST_HOSTS) {}

  /** Further hosts are not told apart from what is above them. */
  get isFull(): boolean {
    return this.#hosts.length >= this.most;
  }

  /** @returns undefined: it is no host, or there are too many and none above it is known */
  numberOf(kind: number, name: string): number | undefined {
    const key = `${kind} ${name}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    if (name === UNKNOWN_HOST || name === DIRECT_HOST) return undefined;
    const above = siteOf(name) === name ? undefined : parentOf(name);
    const parent = above === undefined ? undefined : this.numberOf(kind, above);
    if (this.isFull) return parent;
    const number = this.#hosts.push({ kind, name, parent }) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  hostOf(number: number): WatchedHost {
    const host = this.#hosts[number];
    if (host === undefined) throw new RangeError(`no host has the number ${number}`);
    return host;
  }

  readonly parentOf = (number: number): number | undefined => this.#hosts[number]?.parent;
}
