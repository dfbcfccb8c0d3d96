import { hostStateKey, type HostStateV1 } from '@hopcount/contracts';

import { enrichedVisit } from '../../enriched-visit.spec-helpers.js';
import { Ledger } from '../../ledger.spec-helpers.js';
import { HostFold } from '../host-fold.js';
import { HostPublication } from './host-publication.js';
import { HostReplicas } from './host-replicas.js';
import type { StateTopic } from './state-topic.js';

/** As those who follow a peer do. */
const HEARD_AT_ONCE = 2_000;

/** A topic that is never compacted. */
class Log implements StateTopic {
  readonly states: HostStateV1[] = [];
  losesAnswers = false;
  /** Before a request arrives. */
  onPublish: (states: HostStateV1[]) => unknown = () => undefined;
  end(): Promise<bigint> {
    return Promise.resolve(BigInt(this.states.length));
  }
  async read(
    onStates: (states: HostStateV1[]) => Promise<void>,
    { from = 0n, signal }: { from?: bigint; signal?: AbortSignal | undefined } = {},
  ): Promise<bigint | undefined> {
    const high = this.end();
    await onStates(this.states.slice(Number(from)));
    return signal?.aborted === true ? undefined : high;
  }
  async publish(states: HostStateV1[]): Promise<bigint> {
    await this.onPublish(states);
    const at = this.states.push(...states) - states.length;
    if (this.losesAnswers) throw new Error('no answer');
    return BigInt(at);
  }
  /** What a reader ends with, by key. */
  last(): Map<string, number> {
    return new Map(this.states.map((state) => [hostStateKey(state), 'p' in state ? state.p : state.asOf]));
  }
}

/** A data centre: its ledger, what it says, how it hears. */
export class Centre {
  readonly log = new Log();
  ledger!: Ledger;
  publication!: HostPublication;
  replicas!: HostReplicas;
  consume!: (visits: ReturnType<typeof enrichedVisit>[]) => Promise<unknown>;

  constructor(
    readonly name: string,
    private readonly peer: string,
  ) {}

  async on(ledger: Ledger): Promise<this> {
    this.ledger = ledger;
    this.publication = new HostPublication(ledger.database, this.name, this.log, 3);
    this.replicas = new HostReplicas(ledger.database);
    await this.replicas.add([this.peer]);
    this.consume = await ledger.consumer();
    return this;
  }

  async count(...targets: string[]): Promise<void> {
    if (targets.length > 0) await this.consume(targets.map((targetHost) => enrichedVisit({ targetHost })));
    await new HostFold(this.ledger.database).fold();
  }

  say = () => this.publication.publish();

  /** As a consumer does, from where PostgreSQL says. @returns of how many portions */
  async hear(peer: Centre, states = peer.log.states): Promise<number> {
    const high = states.length;
    const position = () => this.replicas.position(peer.name, { low: 0n, high: BigInt(high) });
    let from = Number(await position());
    for (let portions = 1; ; portions += 1) {
      const to = Math.min(from + HEARD_AT_ONCE, high);
      const portion = { from: BigInt(from), to: BigInt(to), states: states.slice(from, to) };
      const { isToBeReadAgain } = await this.replicas.merge(peer.name, portion);
      from = isToBeReadAgain ? Number(await position()) : to;
      if (!isToBeReadAgain && from === high) return portions;
    }
  }

  /** Visits of all time of targets, by name and data centre. */
  async targets(): Promise<Record<string, number>> {
    const rows = await this.ledger.server.query<{ name: string; visits: number }>(
      `SELECT name || CASE dc WHEN '' THEN '' ELSE ' ' || dc END AS name, sum(p - n)::float8 AS visits
       FROM host_totals JOIN hosts ON hosts.id = host_id WHERE hosts.kind = 0 AND p <> n GROUP BY 1 ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ name, visits }) => [name, visits]));
  }

  /** Of all data centres, as lists have it. */
  async below(name: string): Promise<number | undefined> {
    const [row] = await this.ledger.server.query<{ visits: number }>(
      'SELECT visits::float8 FROM host_sums JOIN hosts ON hosts.id = host_id WHERE hosts.kind = 0 AND name = $1',
      [name],
    );
    return row?.visits;
  }
}

/** Two that are each other's peers. */
export function openCentres(): Promise<[Centre, Centre]> {
  const open = async (name: string, peer: string) => new Centre(name, peer).on(await Ledger.open());
  return Promise.all([open('a', 'b'), open('b', 'a')]);
}

/** Each says what is new, then hears the other. */
export async function exchange(a: Centre, b: Centre): Promise<void> {
  await Promise.all([a.say(), b.say()]);
  await Promise.all([a.hear(b), b.hear(a)]);
}

export function sums(name: string, p: number): HostStateV1 {
  return { version: 1, dc: 'b', epoch: 1, kind: 'target', name, class: 'human', p, n: 0 };
}
