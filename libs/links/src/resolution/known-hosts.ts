import type { NotFoundRedirects } from '../targets/not-found-target.js';
import type { KnownDomains } from './link-database.js';

/** Which domain answers for a (normalised) host: its own, or for all others the default one. */
export class KnownHosts {
  #domains: KnownDomains & { defaultAuthority: string };
  #isLoaded = false;

  constructor(private readonly defaultDomain: string) {
    this.#domains = {
      authorities: new Set([defaultDomain]),
      defaultAuthority: defaultDomain,
      redirects: new Map(),
    };
  }

  /** Whether a host that nothing is known of is known to have no links of its own. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** As of the last look: another object after each. */
  get domains(): Readonly<KnownDomains> {
    return this.#domains;
  }

  use(domains: KnownDomains): void {
    this.#domains = { ...domains, defaultAuthority: domains.defaultAuthority ?? this.defaultDomain };
    this.#isLoaded = true;
  }

  /** A first link on a new domain must not wait for the next look at the list. */
  add(domain: string): void {
    if (this.#isLoaded) this.#domains.authorities.add(domain);
  }

  domainOf(host: string): string {
    return this.#domains.authorities.has(host) ? host : this.#domains.defaultAuthority;
  }

  /** Until the domains are known, what the default one says is no answer for another host. */
  mayHaveOwn(host: string): boolean {
    return !this.#isLoaded && host !== this.#domains.defaultAuthority;
  }

  /** Where a host sends visitors who found nothing; the same object until the next look. */
  redirectsOf(host: string): NotFoundRedirects | undefined {
    const { redirects, authorities, defaultAuthority } = this.#domains;
    return redirects.get(host) ?? (authorities.has(host) ? undefined : redirects.get(defaultAuthority));
  }
}
