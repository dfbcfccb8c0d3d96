import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { enrichedVisit } from '../../enriched-visit.spec-helpers.js';
import { Ledger } from '../../ledger.spec-helpers.js';
import { type Centre, exchange, openCentres } from './host-peers.spec-helpers.js';
import { HostPublication } from './host-publication.js';

describe('counts of hosts that a data centre says', () => {
  let [a, b]: Centre[] = [];
  beforeEach(async () => {
    [a, b] = await openCentres();
  });
  afterEach(() => Promise.all([a, b].map((centre) => centre!.ledger.close())));

  it('of a peer whose own topic is gone are read from the beginning of the new one', async () => {
    await b!.count('one.com');
    await exchange(a!, b!);
    b!.log.states.length = 0;
    await b!.count('two.com', 'one.com');
    await b!.on(b!.ledger);
    await exchange(a!, b!);
    expect(await a!.targets()).toEqual({ 'com.one b': 2, 'com.two b': 1 });
  });

  it.each(['while nobody publishes', 'under a publisher'])(
    'are said again where the topic loses its end %s',
    async (when) => {
      await b!.count('one.com', 'two.com', 'two.com');
      await b!.say();
      await b!.count('one.com', 'three.com');
      await b!.say();
      b!.log.states.length -= 3;
      if (when === 'while nobody publishes') await b!.on(b!.ledger);
      else await b!.count('four.com', 'four.com', 'five.com', 'six.com');
      expect((await b!.say()).newEpoch).not.toBeNull();
      await a!.hear(b!);
      const ofB = Object.entries(await b!.targets());
      expect(await a!.targets()).toEqual(Object.fromEntries(ofB.map(([name, visits]) => [`${name} b`, visits])));
      expect((await b!.say()).newEpoch).toBeNull();
    },
  );

  it('are said again where a publisher was stopped until another one had gone on', async () => {
    await b!.count('one.com', 'two.com');
    await b!.say();
    await b!.count('one.com');
    const other = new HostPublication(b!.ledger.database, 'b', b!.log, 3);
    let isStopped = false;
    b!.log.onPublish = async () => {
      if (isStopped) return;
      isStopped = true;
      // Its session is ended, as PostgreSQL does after a while, and with it its lock.
      await b!.ledger.server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      );
      await b!.count('one.com', 'one.com');
      await other.publish();
      expect(b!.log.last().get('target human com.one')).toBe(4);
    };
    await expect(b!.say()).rejects.toThrow();
    expect(b!.log.last().get('target human com.one')).toBe(2);
    // Within seconds somebody says that all is there, and finds a record that nobody knew of.
    await b!.on(b!.ledger);
    await b!.say();
    expect(b!.log.last().get('target human com.one')).toBe(4);
  });

  it('of names that a restored database never met are zeros, but not of what it counts meanwhile', async () => {
    await b!.count('kept.com');
    const backup = await b!.ledger.server.copy();
    await b!.count('lost.com', 'met.com');
    await b!.say();
    await b!.ledger.close();
    await b!.on(await Ledger.on(backup));
    const other = new HostPublication(b!.ledger.database, 'b', b!.log);
    b!.log.onPublish = async (states) => {
      if (!states.some((state) => 'p' in state && state.p === 0)) return;
      b!.log.onPublish = () => undefined;
      await b!.count('met.com', 'met.com');
      await other.publish();
    };
    await b!.say();
    const last = b!.log.last();
    expect(['kept', 'lost', 'met'].map((name) => last.get(`target human com.${name}`))).toEqual([1, 0, 2]);
  });

  it('are complete as of what is folded, also where more changes than are ever said at once', async () => {
    const asOf = () => b!.log.last().get('as-of') ?? 0;
    const nowMs = async () => {
      const rows = await b!.ledger.server.query<{ now: number }>(
        'SELECT extract(epoch FROM now())::float8 * 1000 AS now',
      );
      return rows[0]!.now;
    };
    await b!.count('one.com');
    await b!.say();
    const beforeMs = await nowMs();
    await b!.consume([enrichedVisit({ targetHost: 'waiting.com' })]);
    await b!.on(b!.ledger);
    await b!.say();
    expect(asOf()).toBeLessThanOrEqual(beforeMs);
    await b!.count();
    const foldedMs = await nowMs();
    // Each portion finds as many changes as it can say.
    const changeMore = () => b!.count('x1.com', 'x2.com', 'x3.com', 'x4.com');
    const ended = new AbortController();
    let requests = 0;
    b!.log.onPublish = async () => {
      if ((requests += 1) === 6) ended.abort();
      await changeMore();
    };
    await changeMore();
    await b!.publication.publish(ended.signal);
    expect(asOf()).toBeGreaterThanOrEqual(Math.floor(foldedMs));
  });

  it('are read no further once the worker ends', async () => {
    await b!.count('one.com');
    const signal = AbortSignal.abort();
    const ended = new AbortController();
    const read = b!.log.read.bind(b!.log);
    b!.log.read = (onStates, options) => {
      ended.abort();
      return read(onStates, options);
    };
    expect(await b!.publication.publish(signal)).toMatchObject({ published: 0 });
    expect(await b!.publication.publish(ended.signal)).toEqual({ published: 0, refused: 0, newEpoch: null });
    expect(await b!.ledger.server.query('SELECT FROM host_datacenter')).toEqual([]);
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
    const last = b!.log.last();
    expect(ofB.map(([name]) => last.get(`target human ${name}`))).toEqual(ofB.map(([, visits]) => visits));
    await a!.hear(b!);
    expect(await a!.targets()).toEqual(Object.fromEntries(ofB.map(([name, visits]) => [`${name} b`, visits])));
    expect(await b!.ledger.server.query('SELECT FROM host_unpublished')).toEqual([]);
  });

  it('are not published by a database, or into a topic, of another data centre', async () => {
    await b!.say();
    const stranger = new HostPublication(b!.ledger.database, 'c', b!.log);
    await expect(stranger.publish()).rejects.toMatchObject({ code: 'other-data-centre' });
    const intoOther = new HostPublication(a!.ledger.database, 'a', b!.log);
    await expect(intoOther.publish()).rejects.toMatchObject({ code: 'other-data-centre' });
  });
});
