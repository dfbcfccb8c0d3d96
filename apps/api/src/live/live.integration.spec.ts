import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mercureInfoSchema } from '@hopcount/contracts';
import { type EnrichedVisit, OrphanVisits } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { newEventId, testApiKey, waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

const TOPIC = 'https://shlink.io/new-visit';

interface Event {
  id: string;
  name: string;
  data: {
    shortUrl?: { shortCode: string; visitsSummary: { total: number } };
    visit: { eventId: string; type?: string };
  };
}

/** An EventSource that tells everything it gets. */
class Follower {
  readonly events: Event[] = [];
  lastId = '';
  isEnded = false;
  readonly #abort = new AbortController();

  /** Reads nothing before `thaw` is resolved. */
  constructor(private readonly thaw?: Promise<void>) {}

  async open(info: { mercureHubUrl: string; token: string }, topics: string[], lastEventId?: string): Promise<this> {
    const query = new URLSearchParams([
      ...topics.map((topic): [string, string] => ['topic', topic]),
      ['authorization', info.token],
    ]);
    const headers = {
      origin: 'https://ui.example',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const response = await fetch(`${info.mercureHubUrl}?${query.toString()}`, { headers, signal: this.#abort.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    void this.#read(response.body as ReadableStream<Uint8Array>).catch(() => (this.isEnded = true));
    if (this.thaw === undefined) await this.until(() => this.lastId !== '');
    return this;
  }

  close(): void {
    this.#abort.abort();
  }

  get ids(): string[] {
    return this.events.map(({ data }) => data.visit.eventId);
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`waited in vain; got ${this.events.length} events`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    // Taken at once: a body without a reader is cancelled when its response is collected.
    const reader = body.getReader();
    await this.thaw;
    let text = '';
    const decoder = new TextDecoder();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (text + decoder.decode(read.value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      blocks.forEach((block) => this.#take(block));
    }
    this.isEnded = true;
  }

  #take(block: string): void {
    const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0] ?? '', line.replace(/^\w*: /, '')]));
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({
      id: this.lastId,
      name: fields.get('event') ?? 'message',
      data: JSON.parse(data) as Event['data'],
    });
  }
}

describe('visits followed as they come', () => {
  let api: TestApi;
  let other: TestApi;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  let linkIds: Record<string, string>;
  const followers: Follower[] = [];

  beforeAll(async () => {
    api = await TestApi.start({ TRUSTED_PROXIES: '127.0.0.1' });
    other = await TestApi.start({ DATABASE_URL: api.database.url, API_PUBLIC_URL: 'https://api.example/' });
    commit = await openLedger(api.resources.database);
    const create = async (customSlug: string) =>
      (await api.create({ longUrl: 'https://example.com/', customSlug })).body['id'] as string;
    linkIds = { one: await create('one'), two: await create('two') };
  });
  afterEach(() => followers.splice(0).forEach((follower) => follower.close()));
  afterAll(async () => {
    await other.stop();
    await api.stop();
  });

  const infoOf = async (of: TestApi) => ({
    ...mercureInfoSchema.parse((await of.get('mercure-info')).body),
    mercureHubUrl: `${of.url}/rest/v3/live`,
  });
  const follow = async (of: TestApi, topics = [TOPIC], lastEventId?: string, thaw?: Promise<void>) => {
    const follower = new Follower(thaw);
    followers.push(follower);
    return follower.open(await infoOf(of), topics, lastEventId);
  };
  const visit = async (code: string, count: number, more: Partial<EnrichedVisit> = {}) => {
    const visits = Array.from({ length: count }, () => enrichedVisit({ linkId: linkIds[code]!, ...more }));
    await commit(visits);
    // As the ledger has them.
    return visits.map(({ eventId }) => eventId).sort();
  };

  it('say where: at this API, by a token, or where the operator says it is', async () => {
    expect((await api.get('mercure-info')).body['mercureHubUrl']).toBe(`${api.url}/rest/v3/live`);
    expect((await other.get('mercure-info')).body['mercureHubUrl']).toBe('https://api.example/rest/v3/live');
    expect((await api.get('mercure-info', { 'x-api-key': '' })).status).toBe(401);
    // A proxy in front that is trusted says what clients use; one that is none says nothing.
    const overTls = { 'x-forwarded-proto': 'http, https', 'x-forwarded-host': 'evil.example' };
    const https = api.url.replace('http:', 'https:');
    expect((await api.get('mercure-info', overTls)).body['mercureHubUrl']).toBe(`${https}/rest/v3/live`);
  });

  it('come from every api process, with the short URL and the visit as the lists have them', async () => {
    const both = [await follow(api), await follow(other)];
    const ids = [...(await visit('one', 2)), ...(await visit('two', 1, { class: 'bot' }))];
    for (const follower of both) {
      await follower.until(() => follower.ids.length >= 3);
      expect(follower.ids).toEqual(ids);
      const { data } = follower.events.find((event) => event.data.visit.eventId === ids[2])!;
      const { body } = await api.get('short-urls/two/visits');
      expect(data.visit).toEqual((body['visits'] as { data: unknown[] }).data[0]);
      expect(data.shortUrl).toEqual((await api.get('short-urls/two')).body);
    }
  });

  it('are those of the topics: a link, orphans, several', async () => {
    const ofTwo = await follow(api, [`${TOPIC}/two`]);
    const orphansAndOne = await follow(api, ['https://shlink.io/new-orphan-visit', `${TOPIC}/one`]);
    const [one] = await visit('one', 1);
    const occurredAtMs = Date.now();
    const eventId = newEventId(occurredAtMs);
    const { country, region, city, latitude, longitude, ip, clientIp, referrer, userAgent, truncated, source } =
      enrichedVisit();
    await new OrphanVisits(api.resources.database).add([
      {
        ...{ eventId, occurredAtMs, type: 'base_url', class: 'human', domain: 's.test', path: '/', ip, clientIp },
        ...{ country, region, city, latitude, longitude, referrer, userAgent, truncated, source },
      },
    ]);
    const [two] = await visit('two', 1);
    await ofTwo.until(() => ofTwo.ids.length >= 1);
    await orphansAndOne.until(() => orphansAndOne.ids.length >= 2);
    expect(ofTwo.ids).toEqual([two]);
    expect(orphansAndOne.ids).toEqual([one, eventId]);
    expect(orphansAndOne.events[1]?.data).toEqual({
      visit: expect.objectContaining({ type: 'base_url', visitedUrl: 'http://s.test/' }),
    });
  });

  it('go on at another api process where a lost connection ended: each once', async () => {
    const first = await follow(api);
    const ids = await visit('one', 5);
    await first.until(() => first.ids.length === 5);
    first.close();
    ids.push(...(await visit('two', 45)), ...(await visit('one', 3)));
    // In the middle of a commit's visits, too.
    const second = await follow(other, [TOPIC], first.events[2]!.id);
    ids.push(...(await visit('two', 2)));
    await second.until(() => second.ids.length >= 52);
    expect([...first.ids.slice(0, 3), ...second.ids]).toEqual(ids);
    expect(new Set(second.events.map(({ name }) => name))).toEqual(new Set(['message']));
  });

  it('are missing only after a word: a gap', async () => {
    const first = await follow(api);
    first.close();
    await api.database.query(`UPDATE visit_feed_state SET wanted_until = now() - interval '1 second'`);
    await visit('one', 1);
    const second = await follow(other, [TOPIC], first.lastId);
    const [id] = await visit('one', 1);
    await second.until(() => second.events.length === 2);
    expect(second.events.map(({ name }) => name)).toEqual(['gap', 'message']);
    expect(second.events[1]?.data.visit.eventId).toBe(id);
  });

  it('reach everybody at once while one reader takes nothing, who gets them when it goes on', async () => {
    let thaw: () => void = () => undefined;
    const reader = await follow(api);
    const frozen = await follow(api, [TOPIC], undefined, new Promise((resolve) => (thaw = resolve)));
    const sent: string[] = [];
    // More than the system buffers for a socket.
    for (let round = 0; round < 10; round += 1) {
      sent.push(...(await visit('one', 100, { userAgent: 'x'.repeat(20_000) })));
      await reader.until(() => reader.ids.length >= sent.length);
    }
    expect(reader.ids).toEqual(sent);
    thaw();
    await frozen.until(() => frozen.ids.length >= sent.length);
    sent.push(...(await visit('two', 1)));
    for (const follower of [reader, frozen]) {
      await follower.until(() => follower.ids.length >= sent.length);
      expect(follower.ids).toEqual(sent);
    }
  });

  it('are told to nobody without a token of ours, and of no topic that is not known', async () => {
    const { token } = await infoOf(api);
    const status = async (query: string, headers: Record<string, string> = {}) => {
      const { body } = await api.request('GET', `/rest/v3/live?${query}`, { headers });
      return [body['status'], body['invalidElements'] ?? body['param']];
    };
    const topic = `topic=${encodeURIComponent(TOPIC)}`;
    const [header, payload] = token.split('.');
    for (const wrong of ['', '&authorization=', '&authorization=x', `&authorization=${header}.${payload}.x`]) {
      expect(await status(`${topic}${wrong}`)).toEqual([401, 'authorization']);
    }
    const authorization = `Bearer ${token}`;
    expect(await status(topic, { authorization, 'last-event-id': '12' })).toEqual([400, ['lastEventId']]);
    expect(await status('topic=new-short-url', { authorization })).toEqual([400, ['topic']]);
    expect(await status('', { authorization })).toEqual([400, ['topic']]);
    expect(await status(`${topic}&unknown=1`, { authorization })).toEqual([400, ['unknown']]);
    expect(
      (await fetch(`${api.url}/rest/v3/live?${topic}`, { method: 'HEAD', headers: { authorization } })).status,
    ).toBe(200);
  });

  it('are those that the key reaches, end with the key, and its token with them', async () => {
    const { id, key } = await testApiKey(api.database, {
      scopes: ['statistics:read', 'links:write'],
      authoredOnly: true,
    });
    const asKey = { headers: { 'x-api-key': key } };
    const { body } = await api.request('POST', '/rest/v3/short-urls', {
      ...asKey,
      body: { longUrl: 'https://example.com/' },
    });
    linkIds['mine'] = body['id'] as string;
    const info = { ...mercureInfoSchema.parse((await api.get('mercure-info', asKey.headers)).body) };
    const follower = new Follower();
    followers.push(follower);
    await follower.open(info, [TOPIC, `${TOPIC}/one`]);
    await visit('one', 2);
    const [mine] = await visit('mine', 1);
    await follower.until(() => follower.ids.length > 0);
    expect(follower.ids).toEqual([mine]);

    const revokedAt = performance.now();
    await api.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
    await follower.until(() => follower.isEnded);
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
    await visit('mine', 1);
    const again = await fetch(`${info.mercureHubUrl}?topic=${TOPIC}&authorization=${info.token}`);
    expect([again.status, ((await again.json()) as { type: string }).type]).toEqual([
      ...[401, 'https://shlink.io/api/error/invalid-api-key'],
    ]);
    expect(follower.ids).toEqual([mine]);
  });

  it('are followed over 50 connections by one key, which leaves places to others', async () => {
    const { key } = await testApiKey(api.database, { scopes: ['statistics:read'] });
    const { token } = (await api.get('mercure-info', { 'x-api-key': key })).body as { token: string };
    const url = `${api.url}/rest/v3/live?topic=${TOPIC}&authorization=${token}`;
    const gone = new AbortController();
    // Kept to the end: fetch closes the connection of an answer that is collected as garbage.
    const answers = await Promise.all(Array.from({ length: 52 }, () => fetch(url, { signal: gone.signal })));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 50 }, () => 200),
      ...[503, 503],
    ]);
    await follow(api);
    expect(answers).toHaveLength(52);
    gone.abort();
    // Its places are free once its connections are closed.
    const again = new AbortController();
    const isOpen = async () => (await fetch(url, { signal: again.signal })).status === 200;
    await waitUntil(isOpen, { describe: 'a place' });
    again.abort();
  });

  it('end with their process', async () => {
    const third = await TestApi.start({ DATABASE_URL: api.database.url });
    const follower = await follow(third);
    await third.stop();
    await follower.until(() => follower.isEnded);
  });
});
