import { keyOf } from './link-check.js';
import { foldedKeyOf } from './loose-codes.js';
import type { LinkKey, Resolution } from './resolved-link.js';

/** One lookup under way; `overtaken` once the link changed while it ran: its result is not kept. */
export interface Flight {
  overtaken: boolean;
  /** Loose codes: what PostgreSQL said instead of a link; undefined when it was not asked. */
  alike?: readonly string[];
  promise: Promise<Resolution>;
}

interface KeyedFlight extends Flight {
  key: LinkKey;
}

/** Lookups under way, one for each link, however many wait for it. */
export class LinkFlights {
  readonly #flights = new Map<string, KeyedFlight>();

  constructor(private readonly load: (flight: Flight, key: LinkKey) => Promise<Resolution>) {}

  /** The one under way, or a new one. */
  join(key: LinkKey): Flight {
    const name = keyOf(key);
    const known = this.#flights.get(name);
    if (known !== undefined) return known;
    const flight = { key, overtaken: false } as KeyedFlight;
    flight.promise = this.load(flight, key).finally(() => {
      if (this.#flights.get(name) === flight) this.#flights.delete(name);
    });
    this.#flights.set(name, flight);
    return flight;
  }

  overtake(name: string): void {
    const flight = this.#flights.get(name);
    if (flight === undefined) return;
    flight.overtaken = true;
    this.#flights.delete(name);
  }

  /** What other spellings stand for may have changed as well. */
  overtakeAlike(changed: LinkKey): void {
    const folded = foldedKeyOf(changed);
    for (const [name, { key }] of this.#flights) {
      if (key.code.length === changed.code.length && foldedKeyOf(key) === folded) this.overtake(name);
    }
  }
}
