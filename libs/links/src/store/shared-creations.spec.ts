import { actingAs, type Actor, AppError, currentActor, Reach } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import type { Created } from './create-links.js';
import type { NewLink } from './new-link.js';
import { SharedCreations, WrongOfOne } from './shared-creations.js';

const ofKey = (keyId: number) => Reach.of({ keyId, authoredOnly: false, domain: null, noOrphanVisits: false });
const one = ofKey(1);
const link = (longUrl: string) => ({ longUrl }) as NewLink;
/** Stands for the link that was made of it. */
const made = ({ longUrl }: NewLink) => ({ link: { longUrl }, isNew: true }) as unknown as Created;
const onceFor = (key: string) => ({
  only: { by: { kind: 'key' as const, id: 1 }, key, request: '' },
  answer: () => Promise.resolve(),
});
const sqlError = (code: string) => Object.assign(new Error(code), { code });

/** Transactions that end when told to. */
class Transactions {
  readonly begun: {
    reach: Reach;
    actor: Actor | null;
    urls: string[];
    commit: () => void;
    end: (error?: Error) => void;
  }[] = [];
  readonly creations = new SharedCreations((reach, asked, commit) => {
    const given = asked.map((one) => one.given);
    return new Promise<Created[]>((resolve, reject) => {
      const end = (error?: Error) => (error === undefined ? resolve(given.map(made)) : reject(error));
      this.begun.push({ reach, actor: currentActor(), urls: given.map(({ longUrl }) => longUrl), commit, end });
    });
  });
  create = (url: string, reach = one, key?: string) =>
    this.creations.create(reach, { given: link(url), once: key === undefined ? undefined : onceFor(key) }).then(
      (created) => ('link' in created ? created.link.longUrl : JSON.stringify(created)),
      (error: Error) => error.message,
    );
  get urls() {
    return this.begun.map(({ urls }) => urls);
  }
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('links that one author asks for', () => {
  it('begin at once, share the next transaction while one is under way, and are answered each with its own', async () => {
    const transactions = new Transactions();
    const answers = ['a', 'b', 'c'].map((url) => transactions.create(url));
    expect(transactions.urls).toEqual([['a']]);
    // Announced afterwards, which keeps nobody waiting.
    transactions.begun[0]?.commit();
    await soon();
    expect(transactions.urls).toEqual([['a'], ['b', 'c']]);
    transactions.begun.forEach(({ end }) => end());
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
    void transactions.create('e');
    expect(transactions.urls.at(-1)).toEqual(['e']);
  });

  it('never wait for another author, nor are they created as his', () => {
    const transactions = new Transactions();
    for (const url of ['a', 'b']) void transactions.create(url);
    void transactions.create('x', ofKey(2));
    expect(transactions.begun.map(({ reach, urls }) => [reach.keyId, urls])).toEqual([
      [1, ['a']],
      [2, ['x']],
    ]);
  });

  it('under keys share transactions of their own, in which no key comes twice', async () => {
    const transactions = new Transactions();
    for (const [url, key] of [['a'], ['b', '1'], ['c', '2'], ['d', '3'], ['e', '2'], ['f']] as const)
      void transactions.create(url, one, key);
    expect(transactions.urls).toEqual([['a'], ['b']]);
    for (let nth = 0; nth < 4; nth += 1) {
      transactions.begun[nth]?.end();
      await soon();
    }
    expect(transactions.urls).toEqual([['a'], ['b'], ['f'], ['c', 'd'], ['e']]);
  });

  it('are noted as those of who asked from where, and of which request where there is but one', async () => {
    const transactions = new Transactions();
    const who = { kind: 'api-key', id: '1', name: 'k', operation: 'createShortUrl' } as const;
    const ask = (url: string, address: string) =>
      actingAs({ ...who, address, requestId: url }, () => transactions.create(url));
    for (const url of ['a', 'b', 'c']) void ask(url, '192.0.2.1');
    void ask('x', '192.0.2.2');
    transactions.begun[0]?.end();
    await soon();
    const noted = transactions.begun.map(({ urls, actor }) => [urls.join(), actor?.address, actor?.requestId]);
    expect(noted).toEqual([
      ['a', '192.0.2.1', 'a'],
      ['x', '192.0.2.2', 'x'],
      ['b,c', '192.0.2.1', null],
    ]);
  });

  it.each([
    ['what PostgreSQL refuses of one is created again without it', sqlError('22P05'), ['c', '22P05', 'e']],
    ['a commit whose outcome nobody knows is not repeated', sqlError('08006'), ['08006', '08006', '08006']],
    ['nor is what an error of ours ends', new AppError('worker-lease-lost', 'lost'), ['lost', 'lost', 'lost']],
    ['unless that is due to one of them', new WrongOfOne(new Error('taken')), ['c', 'taken', 'e']],
  ])('%s', async (_, error, expected) => {
    const transactions = new Transactions();
    void transactions.create('a');
    const answers = Promise.all(['c', 'd', 'e'].map((url) => transactions.create(url)));
    transactions.begun[0]?.end();
    await soon();
    expect(transactions.urls.at(-1)).toEqual(['c', 'd', 'e']);
    transactions.begun.at(-1)?.end(error);
    for (let turn = 0; turn < 3; turn += 1) {
      await soon();
      const last = transactions.begun.at(-1);
      last?.end(last.urls[0] === 'd' ? error : undefined);
    }
    expect(await answers).toEqual(expected);
  });
});
