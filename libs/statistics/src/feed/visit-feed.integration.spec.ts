import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enrichedVisit, Ledger, openLedger, randomSource } from '@hopcount/ledger/spec-helpers';
import { expireFeed } from '@hopcount/ledger';

import { type FeedCursor, formatCursor, parseCursor } from './feed-cursor.js';
import { VisitFeed } from './visit-feed.js';

describe('the feed of visits', () => {
  let ledger: Ledger;
  let feed: VisitFeed;
  const random = randomSource(5);

  beforeAll(async () => {
    ledger = await Ledger.open();
    feed = new VisitFeed(ledger.database);
  });
  afterAll(() => ledger.close());

  /** Everything behind the cursor up to now, and a cursor behind that. */
  async function readAll(from: FeedCursor) {
    const found: { eventId: string; cursor: FeedCursor }[] = [];
    let cursor = from;
    for (;;) {
      const isToNow = cursor.within === undefined;
      const part = await feed.read(cursor);
      found.push(...part.events);
      cursor = part.next;
      if (part.isEnd && isToNow) return { found, cursor };
    }
  }

  it('is not written while nobody wants it, and names the new visits of a commit as soon as somebody does', async () => {
    const commit = await openLedger(ledger.database);
    const visits = Array.from({ length: 4 }, () => enrichedVisit({ linkId: '7' }));
    await commit(visits.slice(0, 1));
    expect(await ledger.server.query('SELECT FROM visit_feed')).toEqual([]);
    const start = await feed.begin();
    await commit(visits.slice(0, 3));
    await commit(visits.slice(1));
    const { found } = await readAll(start);
    const expected = visits.slice(1).map(({ eventId }) => eventId);
    expect(found.map(({ eventId }) => eventId).sort()).toEqual(expected.sort());
    const rows = await feed.visits((await feed.read(start)).events);
    expect([...rows.keys()].sort()).toEqual(expected);
  });

  /** A transaction that has written rows of the feed and is still open. */
  async function write(sent: string[]) {
    const rows = Array.from({ length: 1 + random.below(9) }, () =>
      Array.from({ length: 1 + random.below(4) }, () => enrichedVisit().eventId),
    );
    sent.push(...rows.flat());
    let end = () => undefined as void;
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    let ended = Promise.resolve();
    await new Promise<void>((written) => {
      ended = ledger.database.transaction(async (tx) => {
        for (const ids of rows) await tx.query('INSERT INTO visit_feed (event_ids) VALUES ($1::uuid[])', [ids]);
        written();
        await mayEnd;
      });
    });
    return { end, ended };
  }

  it('tells each visit once, in whatever order transactions end, also from any event on by another process', async () => {
    const start = await feed.begin();
    const sent: string[] = [];
    const told: { eventId: string; cursor: FeedCursor }[] = [];
    let cursor = start;
    for (let round = 0; round < 12; round += 1) {
      // Up to five transactions at once, each with a few rows of the feed, ended in an order of their own.
      const open: { end: () => void; ended: Promise<void> }[] = [];
      for (let nth = random.below(5); nth >= 0; nth -= 1) open.push(await write(sent));
      while (open.length > 0) {
        const [one] = open.splice(random.below(open.length), 1);
        one?.end();
        await one?.ended;
        if (random.below(3) === 0) continue;
        const part = await feed.read(cursor);
        told.push(...part.events);
        cursor = part.next;
      }
    }
    told.push(...(await readAll(cursor)).found);
    const ids = told.map(({ eventId }) => eventId);
    expect([...ids].sort()).toEqual([...sent].sort());
    for (let nth = 0; nth < ids.length; nth += 1 + random.below(10)) {
      const known = parseCursor(formatCursor(told[nth]!.cursor));
      const rest = (await readAll(known!)).found.map(({ eventId }) => eventId);
      expect([...ids.slice(0, nth + 1), ...rest].sort()).toEqual([...ids].sort());
    }
  });

  it('says when something behind a cursor may be gone', async () => {
    const start = await feed.begin();
    await ledger.server.query('INSERT INTO visit_feed (event_ids) VALUES ($1)', [[enrichedVisit().eventId]]);
    const later = await feed.begin();
    await expireFeed(ledger.database);
    expect([await feed.isWhole(start), await feed.isWhole(later)]).toEqual([true, true]);
    await ledger.server.query(`UPDATE visit_feed SET at = now() - interval '11 minutes'`);
    await expireFeed(ledger.database);
    expect(await ledger.server.query('SELECT FROM visit_feed')).toEqual([]);
    expect([await feed.isWhole(start), await feed.isWhole(later)]).toEqual([false, true]);
    // Nobody wanted it for a while: commits did not write it.
    await ledger.server.query(`UPDATE visit_feed_state SET wanted_until = now() - interval '1 second'`);
    await feed.want();
    expect(await feed.isWhole(later)).toBe(false);
    expect(await feed.isWhole(await feed.begin())).toBe(true);
    expect(await feed.isWhole({ seen: '900000000:900000001:' })).toBeUndefined();
  });

  it('takes no text for a cursor that PostgreSQL would refuse', () => {
    for (const text of [
      '',
      '1',
      '5:4:',
      '5:9:4',
      '5:9:9',
      '5:9:7,6',
      '0:1:',
      '05:9:',
      '5:9:_5:9:_1_1',
      `5:9:${'6,'.repeat(900)}`,
    ]) {
      expect([text, parseCursor(text)]).toEqual([text, undefined]);
    }
    for (const text of ['5:9:', '5:9:5,8', '5:9:_9:9:_7_12_0']) expect(formatCursor(parseCursor(text)!)).toBe(text);
  });
});
