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

const acting = new AsyncLocalStorage<{ actor: Actor | null }>();
const requests = new AsyncLocalStorage<{ onlyAsks: boolean }>();

/** What `work` changes until it ends is noted as this actor's; null: as the program's. What it leaves behind acts as nobody. */
export async function actingAs<Result>(actor: Actor | null, work: () => Promise<Result>): Promise<Result> {
  const place = { actor };
  try {
    return await acting.run(place, requests.getStore() === undefined ? work : () => requests.exit(work));
  } finally {
    place.actor = null;
  }
}

/** null: nobody asked for what is done here. */
export function currentActor(): Actor | null {
  return acting.getStore()?.actor ?? null;
}

/** What `work` starts, also later, is of one request, of which {@link onlyAsk} may be said. */
export function withinRequest<Result>(work: () => Result): Result {
  return requests.run({ onlyAsks: false }, work);
}

/** From here on the request changes nothing: while the primary database is away, its standby may answer. */
export function onlyAsk(): void {
  const request = requests.getStore();
  if (request !== undefined) request.onlyAsks = true;
}

export function onlyAsks(): boolean {
  return requests.getStore()?.onlyAsks === true;
}
