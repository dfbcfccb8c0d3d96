import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DIMENSIONS,
  GEO_ATTRIBUTION,
  type LinkStatistics,
  type LiveVisitsAnswer,
  liveVisitsSchema,
  type Page,
  type Visit,
  linkStatisticsSchema,
  visitListSchema,
  visitsSeriesSchema,
  visitsTotalsSchema,
} from '@hopcount/contracts';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { newEventId, testApiKey } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

let api: TestApi;
let linkId: string;

beforeAll(async () => {
  api = await TestApi.start({ HASH_KEY_ROTATIONS: '2026-05-04/7,2026-05-20' });
  linkId = (await api.create({ longUrl: 'https://example.com', customSlug: 'fresh' })).body['id'] as string;
});
afterAll(() => api.stop());

async function statistics(query: string): Promise<LinkStatistics> {
  const { status, body } = await api.get(`short-urls/fresh/stats?${query}`);
  expect([status, linkStatisticsSchema.safeParse(body).error]).toEqual([200, undefined]);
  return body as unknown as LinkStatistics;
}

describe('statistics of a fresh link', () => {
  it('are zeros everywhere, on days of 23 and 25 hours too', async () => {
    const answer = await statistics('startDate=2026-03-29&endDate=2026-03-29&timeZone=Europe/Berlin&interval=hour');
    expect(answer).toMatchObject({
      shortCode: 'fresh',
      domain: null,
      timeZone: 'Europe/Berlin',
      startDate: '2026-03-29T00:00:00+01:00',
      endDate: '2026-03-30T00:00:00+02:00',
      interval: 'hour',
      totals: {
        visits: 0,
        visitors: 0,
        ips: 0,
        byClass: { human: 0, bot: 0, preview: 0, prefetch: 0, 'opted-out': 0 },
      },
      dimensions: Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, []])),
      attribution: GEO_ATTRIBUTION,
    });
    expect(answer.series).toHaveLength(23);
    expect(new Set(answer.series.map((point) => point.visits + point.visitors + point.ips))).toEqual(new Set([0]));
    const long = await statistics('startDate=2026-10-25&endDate=2026-10-25&timeZone=Europe/Berlin&interval=hour');
    expect(long.series).toHaveLength(25);
    expect(new Set(long.series.map((point) => point.start)).size).toBe(25);
  });

  it('say where within a range visitors and IPs got other hashes, as statistics of any scope do', async () => {
    const may = 'startDate=2026-05-01&endDate=2026-05-31';
    const berlin = ['2026-05-04', '2026-05-11', '2026-05-18', '2026-05-20'].map((day) => `${day}T02:00:00+02:00`);
    expect((await statistics(`${may}&timeZone=Europe/Berlin`)).keyRotations).toEqual(berlin);
    const totals = async (query: string) =>
      visitsTotalsSchema.parse((await api.get(`statistics/totals?${query}`)).body).keyRotations;
    expect(await totals(`${may}&timeZone=Europe/Berlin`)).toEqual(berlin);
    expect(await totals('startDate=2026-05-11&endDate=2026-05-17')).toEqual([]);
    expect(await totals('startDate=2026-05-21&endDate=2027-05-21')).toEqual([]);
    const { body } = await api.get('statistics/series?startDate=2026-05-18&endDate=2026-05-24&compare=previous');
    const { keyRotations, compared } = visitsSeriesSchema.parse(body);
    expect([keyRotations, compared?.keyRotations]).toEqual([['2026-05-20T00:00:00+00:00'], []]);
    const headers = { 'x-api-key': api.apiKey };
    const csv = await fetch(`${api.url}/rest/v3/statistics/series?${may}&format=csv`, { headers });
    expect(csv.headers.get('x-statistics')).toContain('"keyRotations":["2026-05-04T00:00:00+00:00"');
  });

  it('take the last 30 days in the reporting zone unless told otherwise', async () => {
    const answer = await statistics('');
    expect(answer).toMatchObject({ timeZone: 'UTC', interval: 'day' });
    expect(answer.series).toHaveLength(31);
    expect(Date.parse(answer.startDate)).toBeLessThan(Date.now());
    expect(Date.parse(answer.endDate)).toBeGreaterThan(Date.now());
  });

  it('understand instants with an unescaped plus sign', async () => {
    const answer = await statistics(
      'startDate=2026-11-01T00:00:00+05:45&endDate=2026-11-01T01:00:00Z&timeZone=Asia/Kathmandu',
    );
    expect(answer.startDate).toBe('2026-11-01T00:00:00+05:45');
    expect(answer.endDate).toBe('2026-11-01T06:45:00+05:45');
  });

  it.each([
    ['timeZone=Mars/Olympus', 'invalid-time-zone', 'timeZone'],
    ['timeZone=', 'invalid-time-zone', 'timeZone'],
    ['timeZone=%2B02:00', 'invalid-time-zone', 'timeZone'],
    ['startDate=2026-13-01', 'invalid-range', 'startDate'],
    ['startDate=', 'invalid-range', 'startDate'],
    ['endDate=soon', 'invalid-range', 'endDate'],
    ['startDate=2026-02-02&endDate=2026-01-01', 'invalid-range', 'startDate'],
    ['startDate=1990-01-01&endDate=2026-01-01', 'invalid-range', 'startDate'],
    ['startDate=2020-01-01&endDate=2026-01-01&interval=hour', 'invalid-range', 'interval'],
    ['interval=decade', 'invalid-data', 'interval'],
  ])('are refused for %s', async (query, code, element) => {
    const { status, body } = await api.get(`short-urls/fresh/stats?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      type: expect.stringMatching(new RegExp(`[/:]${code}$`)),
      invalidElements: expect.arrayContaining([element]),
    });
  });

  it('are 404 for an unknown link', async () => {
    expect((await api.get('short-urls/nope/stats')).body).toMatchObject({ status: 404, shortCode: 'nope' });
    expect((await api.get('short-urls/nope/visits')).body).toMatchObject({ status: 404, shortCode: 'nope' });
  });
});

describe('statistics while Kafka is away', () => {
  it('are answered, pending unknown', async () => {
    // Nothing listens on the discard port.
    const alone = await TestApi.start({ KAFKA_BROKERS: '127.0.0.1:9' });
    try {
      await alone.create({ longUrl: 'https://example.com', customSlug: 'alone' });
      const { status, body } = await alone.get('short-urls/alone/stats');
      expect([status, body['pending'], body['countedUpTo']]).toEqual([200, null, null]);
      expect((await alone.get('short-urls/alone/stats')).body['pending']).toBeNull();
    } finally {
      await alone.stop();
    }
  });
});

describe('the visits of a link', () => {
  const TIMES = ['2026-11-20T23:59:59.900Z', '2026-11-21T00:00:00.000Z', '2026-11-21T10:00:00.500Z'];

  beforeAll(async () => {
    for (const [index, time] of TIMES.entries()) {
      const eventId = newEventId(Date.parse(time));
      const bot = index === 1;
      await api.database.query(
        `INSERT INTO visits (occurred_at, event_id, link_id, class, enrichment_version, country, region, city, os,
           browser, device, network, referrer_host, language, referrer, user_agent, destination, source, latitude, longitude)
         VALUES ($1, $2, $3, $4, 1, $5, 'Bavaria', 'unknown', 'Linux', 'Firefox', 'desktop', 'unknown', 'direct', 'de',
           $6, 'agent', 'https://example.com/', 'test', 48.5, 11.5)`,
        [time, eventId, linkId, bot ? 1 : 0, bot ? 'unknown' : 'DE', index === 2 ? 'https://ref.example/' : null],
      );
      await api.database.query(
        `INSERT INTO link_traffic VALUES ($1, date_bin('15 minutes', $2, 'epoch'), $3, 0, 1, event_checksum($4))`,
        [linkId, time, bot ? 1 : 0, eventId],
      );
    }
  });

  async function visits(query: string): Promise<Page<Visit>> {
    const { status, body } = await api.get(`short-urls/fresh/visits?${query}`);
    expect([status, visitListSchema.safeParse(body).error]).toEqual([200, undefined]);
    return body['visits'] as Page<Visit>;
  }

  it('come newest first with everything a client shows', async () => {
    const { data, pagination } = await visits('');
    expect(pagination).toEqual({
      currentPage: 1,
      pagesCount: 1,
      itemsPerPage: 3,
      itemsInCurrentPage: 3,
      totalItems: 3,
    });
    expect(data[0]).toEqual({
      referer: 'https://ref.example/',
      date: '2026-11-21T10:00:00+00:00',
      userAgent: 'agent',
      visitLocation: {
        ...{ countryCode: 'DE', countryName: 'Germany', regionName: 'Bavaria', cityName: '' },
        ...{ latitude: 48.5, longitude: 11.5, timezone: '', isEmpty: false },
      },
      potentialBot: false,
      visitedUrl: 'http://s.test/fresh',
      redirectUrl: 'https://example.com/',
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(data[1]).toMatchObject({ potentialBot: true, visitLocation: null, referer: '' });
  });

  it('page, filter by time (both ends included) and leave bots out', async () => {
    expect((await visits('itemsPerPage=2&page=2')).pagination).toEqual({
      ...{ currentPage: 2, pagesCount: 2, itemsPerPage: 2, itemsInCurrentPage: 1, totalItems: 3 },
    });
    expect((await visits('startDate=2026-11-21')).data).toHaveLength(2);
    expect((await visits('endDate=2026-11-20')).data).toHaveLength(1);
    expect(
      (await visits('startDate=2026-11-21T10:00:00%2B00:00&endDate=2026-11-21T10:00:00%2B00:00')).data,
    ).toHaveLength(1);
    expect((await visits('excludeBots=false')).data).toHaveLength(2);
    expect((await visits('startDate=2027-01-01')).pagination).toMatchObject({ totalItems: 0, itemsPerPage: 1 });
  });

  it('are in the statistics', async () => {
    const answer = await statistics('startDate=2026-11-20&endDate=2026-11-21');
    expect(answer.totals).toMatchObject({ visits: 3, byClass: { human: 2, bot: 1 } });
    expect(answer.series.map((point) => point.visits)).toEqual([1, 2]);
    expect(answer.dimensions.country).toEqual([
      { value: 'DE', visits: 2 },
      { value: 'unknown', visits: 1 },
    ]);
  });

  it('are all of them without a range, and key rotations are said from the first one on', async () => {
    const answer = await statistics('period=allTime&timeZone=Asia/Kolkata');
    expect(answer).toMatchObject({ exact: true, startDate: '2026-11-21T00:00:00+05:30', keyRotations: [] });
    expect(answer.totals).toMatchObject({ visits: 3, byClass: { human: 2, bot: 1 } });
    expect(answer.series.slice(0, 2).map((point) => point.visits)).toEqual([3, 0]);
    expect(Date.parse(answer.endDate)).toBeGreaterThan(Date.now());
    expect(answer.series.reduce((sum, point) => sum + point.visits, 0)).toBe(3);
    for (const named of ['range=today', 'startDate=2026-11-20', 'endDate=2026-11-21']) {
      const { status, body } = await api.get(`short-urls/fresh/stats?period=allTime&${named}`);
      expect([status, body['invalidElements']]).toEqual([400, [named.split('=')[0]]]);
    }
  });

  it('are empty for a link without visits', async () => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'unvisited' });
    const { body } = await api.get('short-urls/unvisited/stats?period=allTime');
    expect(body).toMatchObject({ exact: true, totals: { visits: 0, visitors: 0, ips: 0 } });
  });
});

describe('visits of the last minutes', () => {
  let pink: string;
  let commit: Awaited<ReturnType<typeof openLedger>>;
  const ask = async (path: string) => {
    const { status, body } = await api.get(`statistics/${path}`);
    expect([path, status, liveVisitsSchema.safeParse(body).error]).toEqual([path, 200, undefined]);
    return body;
  };
  const create = async (customSlug: string, more: object) =>
    (await api.create({ longUrl: 'https://example.com', customSlug, ...more })).body['id'] as string;
  const at = (minutes: number, visitor: string, ip: string) =>
    enrichedVisit({ linkId: pink, atMs: Date.now() - minutes * 60_000, visitor, ip });

  beforeAll(async () => {
    pink = await create('pink', { tags: ['loud'] });
    await create('quiet', { domain: 'two.test', tags: ['silent'] });
    commit = await openLedger(api.resources.database);
    await commit([at(0.5, '1', '7'), at(1, '1', '8'), at(10, '1', '7'), at(29, '2', '9'), at(31, '3', '6')]);
  });

  const expected = { minutes5: { visits: 2, visitors: 1, ips: 2 }, minutes30: { visits: 4, visitors: 2, ips: 3 } };

  it.each(['', '?tag=loud', '?domain=DEFAULT', '?shortCode=pink'])('are counted: %s', async (query) => {
    expect(await ask(`live${query}`)).toMatchObject({ ...expected, exact: true });
  });

  it('are none of others', async () => {
    const none = { visits: 0, visitors: 0, ips: 0 };
    for (const query of ['domain=two.test', 'tag=silent', 'shortCode=fresh'])
      expect(await ask(`live?${query}`)).toMatchObject({ minutes5: none, minutes30: none });
  });

  it('are counted once for all who ask together', async () => {
    const asked = ['', '?tag=loud', '?domain=DEFAULT', '?shortCode=pink', '?tag=silent', '?domain=two.test'];
    const answers = await Promise.all(asked.map((query) => ask(`live${query}`)));
    // Whoever came while others were counted is in the next count, with all who did.
    expect(new Set(answers.map((answer) => answer['endDate'])).size).toBeLessThanOrEqual(2);
  });

  it('are followed as they are counted, by so many readers of a key, and only while it works', async () => {
    const { key, id } = await testApiKey(api.database);
    const stop = new AbortController();
    const open = (apiKey: string) =>
      fetch(`${api.url}/rest/v3/statistics/live/stream?tag=loud`, {
        headers: { 'x-api-key': apiKey },
        signal: stop.signal,
      });
    const responses = await Promise.all(Array.from({ length: 20 }, () => open(key)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await open(key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await open(api.apiKey)).status).toBe(200);
    const events = readEvents(responses[0]!);
    expect((await events.next()).value).toMatchObject(expected);
    await commit([at(0, '4', '5')]);
    const isThere = ({ minutes5 }: LiveVisitsAnswer) => minutes5.visits === 3;
    let event = (await events.next()).value;
    while (event !== undefined && !isThere(event)) event = (await events.next()).value;
    expect(event).toMatchObject({ minutes5: { visits: 3, visitors: 2 }, minutes30: { visits: 5, visitors: 3 } });
    await api.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id]);
    while (event !== undefined) event = (await events.next()).value;
    stop.abort();
    // As long as somebody listened is no duration of a request.
    const durations = (await api.operations('/metrics'))
      .split('\n')
      .filter((line) => line.startsWith('hopcount_api_request_duration_seconds_count') && line.includes('/stream"'));
    expect(durations).toEqual([expect.stringContaining('status="503"')]);
  });
});

/** Up to the end of the stream; then undefined. */
async function* readEvents(response: Response): AsyncGenerator<LiveVisitsAnswer, undefined> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield JSON.parse(block.slice('data: '.length)) as LiveVisitsAnswer;
  }
  return undefined;
}
