import type { ClientAddress } from '@hopcount/runtime';

const MINUTE_MS = 60_000;
/** At most 33 MB, when each asks for another link. Of more clients and links in a minute the others are not looked at. */
const MAX_CLIENTS = 100_000;

export interface Clicks {
  /** Visits of this client to this link in this minute, with this one, as far as this process knows. */
  number: number;
  isFlood: boolean;
}

const UNKNOWN: Clicks = { number: 1, isFlood: false };

/**
 * How often a client (an IPv6 /64) follows one link, by the minute. What is a flood is decided here, once, and stands in the visit:
 * a replay of the visit finds the same. Each process counts for itself, since no visitor is refused. Limits also count by /56 and
 * /48; this does not: thousands of people share such a network of a carrier, and a popular link would mark them all as bots.
 */
export class RecentClicks {
  /** Clicks above what the setting says, since the start of the process. */
  readonly floods: Record<'flagged' | 'private', number> = { flagged: 0, private: 0 };
  #minute = 0;
  /** By link and by network of the client: how often. */
  #links = new Map<string, Map<string, number>>();
  #clients = 0;

  /** @param perMinute visits of a client to a link that are none; 0: none is a flood */
  constructor(private readonly perMinute: number) {}

  note(linkId: string, client: Pick<ClientAddress, 'network' | 'isPrivate'> | undefined, nowMs: number): Clicks {
    if (client === undefined) return UNKNOWN;
    const minute = Math.floor(nowMs / MINUTE_MS);
    // Ids are drawn before their visits come here: some are of the minute before.
    if (minute > this.#minute || minute < this.#minute - 1) {
      this.#minute = minute;
      this.#links = new Map();
      this.#clients = 0;
    }
    const clients = this.#links.get(linkId) ?? new Map<string, number>();
    const number = (clients.get(client.network) ?? 0) + 1;
    if (number === 1) {
      if (this.#clients >= MAX_CLIENTS) return UNKNOWN;
      this.#clients += 1;
      this.#links.set(linkId, clients);
    }
    clients.set(client.network, number);
    return { number, isFlood: this.perMinute > 0 && number > this.perMinute && this.#isFloodOf(client) };
  }

  /** A private address is that of a proxy that TRUSTED_PROXIES does not name, or of a network's own visitors. */
  #isFloodOf({ isPrivate }: Pick<ClientAddress, 'isPrivate'>): boolean {
    const kind = isPrivate ? 'private' : 'flagged';
    this.floods[kind] += 1;
    return kind === 'flagged';
  }
}
