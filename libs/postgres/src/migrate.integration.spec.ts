import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { Client } from 'pg';

import { Database } from './database.js';

const WRITE = 'BEGIN; LOCK TABLE links IN ROW EXCLUSIVE MODE';

let server: TestDatabase;
let database: Database;
const clients: Client[] = [];

beforeAll(async () => {
  server = await testDatabase();
  database = await Database.connect({ url: server.url, applicationName: 'test', poolSize: 3 });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.close();
  await server.drop();
});

async function client(): Promise<Client> {
  const one = new Client({ connectionString: server.url });
  clients.push(one);
  await one.connect();
  return one;
}

it('a migration that has to wait for a table lets others pass it, and is done once it can be', async () => {
  const reader = await client();
  await reader.query('DROP INDEX links_by_folded_code');
  await reader.query("DELETE FROM schema_migrations WHERE name LIKE 'LooseCodes%'");
  const [long, short] = [await client(), await client()];
  await long.query(WRITE);
  const migrated = database.migrate();
  const isWaiting = () => reader.query("SELECT FROM pg_locks WHERE NOT granted AND relation = 'links'::regclass");
  while ((await isWaiting()).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  // It stands behind the migration, which would stand behind the long transaction for as long as that takes.
  await short.query(WRITE);
  await short.query('COMMIT');
  await long.query('COMMIT');
  expect(await migrated).toEqual([expect.stringMatching(/^LooseCodes/)]);
  expect((await reader.query("SELECT to_regclass('links_by_folded_code') AS index")).rows).toEqual([
    { index: 'links_by_folded_code' },
  ]);
});
