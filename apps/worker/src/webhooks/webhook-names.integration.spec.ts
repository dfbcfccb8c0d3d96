import { WebhookStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const NAMES = [
  ...[
    'api.prod.svc',
    'api.prod.svc.cluster.local',
    'printer.local',
    'a.localhost',
    'a.home.arpa',
    'a.internal',
    'redis',
  ],
  ...['a.onion', 'hook.test', 'HOOK.TEST.', 'a.example', 'a.invalid'],
];
const given = { description: '', events: ['link.created'] as const, visits: [] };

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await testDatabase();
  database = await Database.connect({ url: server.url, applicationName: 'webhook-names-spec' });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

describe('a webhook at a name that is not one of the public internet', () => {
  it.each(NAMES)('S18: %s is refused when it is saved, unless private targets are allowed', async (host) => {
    const url = `https://${host}/`;
    const refused = { code: 'unsafe-target', details: { reason: 'private-host', invalidElements: ['url'] } };
    const strict = new WebhookStore(database, { allowPrivateTargets: false });
    await expect(strict.create({ ...given, url })).rejects.toMatchObject(refused);
    const { webhook } = await new WebhookStore(database, { allowPrivateTargets: true }).create({ ...given, url });
    await expect(strict.edit(webhook.id, { description: 'x' })).rejects.toMatchObject(refused);
  });
});
