import type { IncomingMessage, ServerResponse } from 'node:http';

import { OutboundFetcher } from '@hopcount/outbound';
import { TestDns, TestSite } from '@hopcount/outbound/spec-helpers';
import { Database } from '@hopcount/postgres';
import { createLogger, isPrivateAddress, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { WorkerConfig } from '../worker.config.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { resolveTitles } from './resolve-titles.js';

const PUBLIC = '127.0.0.2';

let server: TestDatabase;
let database: Database;
let dns: TestDns;
let site: TestSite;
let job: JobDefinition;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const registry = new Registry();
let nextId = 0;

beforeAll(async () => {
  server = await testDatabase();
  database = await Database.connect({ url: server.url, applicationName: 'titles-spec' });
  await server.query(`INSERT INTO domains (authority) VALUES ('sho.rt')`);
  dns = await TestDns.start({ 'page.test': [PUBLIC], 'other.test': [PUBLIC], 'inside.test': ['10.0.0.5'] });
  site = await TestSite.start(PUBLIC, 0, (request, response) => answer(request, response));
  const fetcher = new OutboundFetcher({
    ...{ userAgent: 'Spec/1', allowPrivate: false, timeoutMs: 1_000, dnsServers: [dns.address] },
    ports: new Set([site.port]),
    isPublicAddress: (address) => address === PUBLIC || !isPrivateAddress(address),
  });
  const config = { allowPrivateTargets: false } as WorkerConfig;
  const logger = createLogger({ name: 'test', level: 'silent' });
  job = resolveTitles({ config, database, metrics: createWorkerMetrics(registry), logger }, fetcher);
});
afterEach(async () => {
  await server.query('DELETE FROM links');
  await server.query('DELETE FROM link_outbox');
  site.requests.length = 0;
  registry.resetMetrics();
});
afterAll(async () => {
  dns.stop();
  site.stop();
  await database.close();
  await server.drop();
});

const run = () => job.work(new AbortController().signal);
const page =
  (html: string, status = 200) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(html);

/** A link that waits for its title. */
async function link(path: string, host = 'page.test'): Promise<number> {
  const id = ++nextId;
  await server.query(
    `INSERT INTO links (id, domain_id, code, long_url) SELECT $1, id, $2, $3 FROM domains WHERE authority = 'sho.rt'`,
    [id, `code-${id}`, `http://${host}:${site.port}${path}`],
  );
  await server.query('INSERT INTO link_titles (link_id, due_at) VALUES ($1, now())', [id]);
  return id;
}

async function stateOf(id: number) {
  const [row] = await server.query<{ title: string | null; version: string; waits: boolean; attempts: number | null }>(
    `SELECT title, version, due_at IS NOT NULL AS waits, attempts
     FROM links LEFT JOIN link_titles ON link_id = id WHERE id = $1`,
    [id],
  );
  return row;
}

const due = () => server.query("UPDATE link_titles SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL");

describe('titles', () => {
  it('are those of the pages, in a new version of the link that gateways are told of', async () => {
    answer = ({ url }, response) => page(`<title>Page ${url}</title>`)({} as IncomingMessage, response);
    const ids = await Promise.all(Array.from({ length: 45 }, (_, index) => link(`/${index}`)));
    await run();
    for (const [index, id] of ids.entries()) {
      expect(await stateOf(id)).toMatchObject({ title: `Page /${index}`, version: '2', waits: false });
    }
    expect(await server.query('SELECT 1 FROM link_outbox')).toHaveLength(45);
    expect(await registry.metrics()).toMatch(/^hopcount_titles_total\{outcome="found"\} 45$/m);
  });

  it('are not looked for again where there are none, or where nobody may ask', async () => {
    answer = ({ url }, response) => {
      const isGone = url === '/gone';
      page(isGone ? '<title>Not found</title>' : '<p>nothing', isGone ? 404 : 200)({} as IncomingMessage, response);
    };
    const ids = [await link('/'), await link('/', 'inside.test'), await link('/', 'unknown.test')];
    const gone = await link('/gone');
    await run();
    for (const id of [...ids, gone])
      expect(await stateOf(id)).toEqual({ title: null, version: '1', waits: false, attempts: null });
    expect(site.requests.map(({ url }) => url).sort()).toEqual(['/', '/gone']);
  });

  it('of pages that fail are looked for twice more, later', async () => {
    answer = page('<title>Bad gateway</title>', 502);
    const id = await link('/');
    for (const attempt of [1, 2, 3]) {
      await run();
      expect(await stateOf(id)).toMatchObject({ title: null, waits: true, attempts: attempt });
      await run(); // not due yet
      expect(site.requests.length).toBe(attempt);
      await due();
    }
    answer = page('<title>Late</title>');
    await run();
    expect(await stateOf(id)).toEqual({ title: null, version: '1', waits: false, attempts: null });
    expect(site.requests.length).toBe(3);
  });

  it('of one host are asked one by one, and a host that fails keeps no other waiting', async () => {
    let open = 0;
    let most = 0;
    answer = ({ headers }, response) => {
      if (headers.host?.startsWith('other') === true)
        return page('<title>Other</title>')({} as IncomingMessage, response);
      most = Math.max(most, ++open);
      response.on('close', () => (open -= 1));
      response.socket?.destroy();
    };
    const broken = [await link('/1'), await link('/2'), await link('/3')];
    const other = await link('/', 'other.test');
    await run();
    expect(most).toBe(1);
    expect(await stateOf(other)).toMatchObject({ title: 'Other' });
    for (const id of broken) expect(await stateOf(id)).toMatchObject({ title: null, waits: true });
    expect(site.requests.filter(({ headers }) => headers.host?.startsWith('page')).length).toBe(1);
  });

  it('that an owner gave meanwhile, and targets that changed meanwhile, are left alone', async () => {
    const owned = await link('/owned');
    const moved = await link('/moved');
    const deleted = await link('/deleted');
    answer = ({ url }, response) => {
      const change = {
        '/owned': `UPDATE links SET title = 'Mine' WHERE id = ${owned}`,
        '/moved': `UPDATE link_titles SET due_at = now() + interval '1 hour' WHERE link_id = ${moved}`,
        '/deleted': `UPDATE links SET deleted_at = now() WHERE id = ${deleted}`,
      }[url ?? ''];
      void server.query(change ?? '').then(() => page('<title>Found</title>')({} as IncomingMessage, response));
    };
    await run();
    expect(await stateOf(owned)).toMatchObject({ title: 'Mine', version: '1' });
    expect(await stateOf(moved)).toMatchObject({ title: null, version: '1', waits: true });
    expect(await stateOf(deleted)).toMatchObject({ title: null, version: '1' });
    expect(await server.query('SELECT 1 FROM link_outbox')).toEqual([]);
  });
});
