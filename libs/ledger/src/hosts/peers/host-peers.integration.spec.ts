import { hostStateKey, type HostStateV1 } from '@hopcount/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { enrichedVisit } from '../../enriched-visit.spec-helpers.js';
import { Ledger } from '../../ledger.spec-helpers.js';
import { LedgerRebuild } from '../../rebuild/ledger-rebuild.js';
import { HostFold } from '../host-fold.js';
import { HostPublication, type StateTopic } from './host-publication.js';
import { HostReplicas } from './host-replicas.js';

const MAX = Number.MAX_SAFE_INTEGER;

/** A topic that is never compacted. */
class Log implements StateTopic {
  readonly states: HostStateV1[] = [];
  losesAnswers = false;
  async read(onStates: (states: HostStateV1[]) => Promise<void>): Promise<void> {
    await onStates([...this.states]);
  }
  publish(states: HostStateV1[]): Promise<void> {
    this.states.push(...states);
    return this.losesAnswers ? Promise.reject(new Error('no answer')) : Promise.resolve();
  }
}

/** A data centre: its ledger, what it says, how it hears. */
class Centre {
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
    await this.consume(targets.map((targetHost) => enrichedVisit({ targetHost })));
    await new HostFold(this.ledger.database).fold();
  }

  say = () => this.publication.publish();

  /** As a consumer does, from where PostgreSQL says. */
  async hear(peer: Centre, states = peer.log.states): Promise<void> {
    const high = BigInt(states.length);
    for (let isAgain = true; isAgain;) {
      const from = await this.replicas.position(peer.name, { low: 0n, high });
      const portion = { from, to: high, states: states.slice(Number(from)) };
      isAgain = (await this.replicas.merge(peer.name, portion)).isToBeReadAgain;
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

describe('counts of hosts of two data centres', () => {
  let [a, b]: Centre[] = [];
  beforeEach(async () => {
    [a, b] = await Promise.all([
      new Centre('a', 'b').on(await Ledger.open()),
      new Centre('b', 'a').on(await Ledger.open()),
    ]);
  });
  afterEach(() => Promise.all([a, b].map((centre) => centre!.ledger.close())));

  const exchange = async () => {
    await Promise.all([a!.say(), b!.say()]);
    await Promise.all([a!.hear(b!), b!.hear(a!)]);
  };

  it('are the sum of both ledgers in both, and what comes again, in any order, changes nothing', async () => {
    await a!.count('example.com', 'example.com', 'a.example.com', 'only.a');
    await b!.count('example.com', 'b.example.com', 'x.y.b.example.com');
    await exchange();
    await b!.count('b.example.com');
    await exchange();
    const ofA = { 'com.example': 2, 'com.example.a': 1, 'a.only': 1 };
    const ofB = { 'com.example': 1, 'com.example.b': 2, 'com.example.b.y.x': 1 };
    const under = (sums: object, dc: string) =>
      Object.fromEntries(Object.entries(sums).map(([name, visits]) => [`${name} ${dc}`, visits as number]));
    expect(await a!.targets()).toEqual({ ...ofA, ...under(ofB, 'b') });
    expect(await b!.targets()).toEqual({ ...ofB, ...under(ofA, 'a') });
    expect([await a!.below('com.example'), await b!.below('com.example')]).toEqual([7, 7]);

    const before = await a!.targets();
    const { states } = b!.log;
    await a!.ledger.server.query('UPDATE host_peers SET next_offset = 0');
    await a!.hear(b!, [...states].reverse());
    await a!.ledger.server.query('UPDATE host_peers SET next_offset = 0');
    await a!.hear(b!, [...states, ...states]);
    expect(await a!.targets()).toEqual(before);
    // Own numbers are held against the ledger, peers' against what they said.
    expect([await a!.ledger.differences(), await b!.ledger.differences()]).toEqual([[], []]);
  });

  it('are those of a database restored from a backup, in a new epoch, and what it counts then shows at once', async () => {
    await b!.count('kept.com', 'kept.com', 'shrunk.com');
    await exchange();
    const backup = await b!.ledger.server.copy();
    await b!.ledger.close();
    // What the backup does not have: more of a name, and names that it never met.
    await b!.on(await Ledger.on(await backup.copy()));
    await b!.count('shrunk.com', 'shrunk.com', 'lost.com');
    await exchange();
    expect(await a!.targets()).toMatchObject({ 'com.shrunk b': 3, 'com.lost b': 1 });

    await b!.ledger.close();
    await b!.on(await Ledger.on(backup));
    const { newEpoch } = await b!.say();
    expect(newEpoch).not.toBeNull();
    await a!.hear(b!);
    expect(await a!.targets()).toEqual({ 'com.kept b': 2, 'com.shrunk b': 1 });
    await b!.count('kept.com', 'later.com');
    await exchange();
    expect(await a!.targets()).toEqual({ 'com.kept b': 3, 'com.later b': 1, 'com.shrunk b': 1 });
    expect(await a!.ledger.differences()).toEqual([]);
    // Started again, nothing was lost: the same epoch.
    await b!.on(b!.ledger);
    expect(await b!.say()).toMatchObject({ newEpoch: null });
  });

  it('of a peer whose own topic is gone are read from the beginning of the new one', async () => {
    await b!.count('one.com');
    await exchange();
    b!.log.states.length = 0;
    await b!.count('two.com', 'one.com');
    await b!.on(b!.ledger);
    await exchange();
    expect(await a!.targets()).toEqual({ 'com.one b': 2, 'com.two b': 1 });
  });

  it('are said again when nobody knows whether Kafka has them, and the last of a key is the newest', async () => {
    await b!.count('one.com', 'two.com', 'three.com', 'four.com', 'five.com');
    b!.log.losesAnswers = true;
    await expect(b!.say()).rejects.toThrow('no answer');
    await b!.count('one.com');
    b!.log.losesAnswers = false;
    const other = new HostPublication(b!.ledger.database, 'b', b!.log, 2);
    for (const nth of [1, 2, 3]) {
      await Promise.all([b!.say(), other.publish(), b!.count('two.com', `new${nth}.com`)]);
    }
    await b!.say();
    const ofB = Object.entries(await b!.targets());
    const last = new Map(b!.log.states.map((state) => [hostStateKey(state), 'p' in state ? state.p : state.asOf]));
    expect(ofB.map(([name]) => last.get(`target human ${name}`))).toEqual(ofB.map(([, visits]) => visits));
    await a!.hear(b!);
    expect(await a!.targets()).toEqual(Object.fromEntries(ofB.map(([name, visits]) => [`${name} b`, visits])));
    expect(await b!.ledger.server.query('SELECT FROM host_unpublished')).toEqual([]);
  });

  it('shrink where a rebuild takes away what was never counted', async () => {
    await b!.count('example.com');
    await b!.ledger.server.query(
      'INSERT INTO host_totals SELECT kind, host_id, 1, dc, 7, 0, last_bucket FROM host_totals',
    );
    await b!.ledger.server.query('UPDATE host_totals SET p = p + 100 WHERE class = 0');
    await exchange();
    expect(await a!.targets()).toEqual({ 'com.example b': 108 });
    await new LedgerRebuild(b!.ledger.database).rebuildHosts();
    await exchange();
    expect(await a!.targets()).toEqual({ 'com.example b': 1 });
  });

  it('count what the peer does not tell apart at the name above, and keep own names apart', async () => {
    await a!.count('known.many.com');
    await b!.hear(a!, []);
    const rest = sums('com.many.~rest', 5);
    const top = sums('~rest', 3);
    await a!.hear(b!, [rest, top, sums('com.many.other.deep', 2)]);
    await a!.count('later.many.com');
    expect(await a!.targets()).toEqual({
      ...{ 'com.many.known': 1, 'com.many.later': 1 },
      ...{ 'com.many b': 5, 'com.many.other.deep b': 2, '~unknown b': 3 },
    });
  });

  it('stay below 2^53, and records of another data centre, or that say nothing, are left out', async () => {
    await a!.hear(b!, [
      sums('com.x', MAX - 10),
      sums('com.y', 11),
      sums('com.z', 10),
      { ...sums('com.w', 1), dc: 'c' },
    ]);
    expect(await a!.targets()).toEqual({ 'com.x b': MAX - 10, 'com.z b': 10 });
    expect(await a!.ledger.server.query('SELECT refused::int FROM host_peers')).toEqual([{ refused: 2 }]);
  });

  it('have one reader: whoever is behind writes nothing', async () => {
    const portion = { from: 0n, to: 1n, states: [sums('com.x', 1)] };
    await a!.replicas.merge('b', portion);
    await expect(a!.replicas.merge('b', portion)).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(await a!.targets()).toEqual({ 'com.x b': 1 });
  });

  it('are not published by a database, or into a topic, of another data centre', async () => {
    await b!.say();
    const stranger = new HostPublication(b!.ledger.database, 'c', b!.log);
    await expect(stranger.publish()).rejects.toMatchObject({ code: 'other-data-centre' });
    const intoOther = new HostPublication(a!.ledger.database, 'a', b!.log);
    await expect(intoOther.publish()).rejects.toMatchObject({ code: 'other-data-centre' });
  });
});

function sums(name: string, p: number): HostStateV1 {
  return { version: 1, dc: 'b', epoch: 1, kind: 'target', name, class: 'human', p, n: 0 };
}
