import { AsyncLocalStorage } from 'node:async_hooks';

/** Who changes something, for the audit log. */
export interface Actor {
  kind: 'api-key' | 'user' | 'cli' | 'system';
  /** Of the key or user. */
  id: string | null;
  name: string;
  /** Where the request came from; of a command the host. */
  address: string | null;
  /** The operation of the API, as its document calls it. */
  operation: string | null;
  requestId: string | null;
}

const places = new AsyncLocalStorage<{ actor: Actor | null; onlyAsks: boolean }>();

/** What `work` starts, also later, acts as whom {@link actAs} names in it; so far as nobody. */
export function withinRequest<Result>(work: () => Result): Result {
  return places.run({ actor: null, onlyAsks: false }, work);
}

/** From here on all of the request. */
export function actAs(actor: Actor): void {
  const place = places.getStore();
  if (place === undefined) throw new Error('actAs() belongs into withinRequest()');
  place.actor = actor;
}

/** null: nobody asked for what is done here. */
export function currentActor(): Actor | null {
  return places.getStore()?.actor ?? null;
}

/** From here on the request changes nothing: while the primary database is away, its standby may answer. */
export function onlyAsk(): void {
  const place = places.getStore();
  if (place !== undefined) place.onlyAsks = true;
}

export function onlyAsks(): boolean {
  return places.getStore()?.onlyAsks === true;
}
