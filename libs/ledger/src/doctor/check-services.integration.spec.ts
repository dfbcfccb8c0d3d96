import { CONSUMER_APPLICATION_NAME } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { checkPostgres } from './check-services.js';

describe('what doctor says of PostgreSQL', () => {
  let server: TestDatabase;
  let database: Database;
  /** Of this test alone: roles are those of all databases. */
  let consumer: string;
  beforeEach(async () => {
    server = await testDatabase();
    consumer = `consumer of ${server.name}`;
    await server.query(`CREATE ROLE "${consumer}" LOGIN PASSWORD 'secret'`);
    await server.query(`REVOKE TEMPORARY ON DATABASE ${server.name} FROM PUBLIC`);
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
  });
  afterEach(async () => {
    await database.close();
    await server.query(`DROP OWNED BY "${consumer}"`);
    await server.query(`DROP ROLE "${consumer}"`);
    await server.drop();
  });

  const said = async (of = database) => (await checkPostgres(of)).find(({ name }) => name === 'postgres');
  const connect = (applicationName: string) => {
    const url = new URL(server.url);
    url.username = encodeURIComponent(consumer);
    url.password = 'secret';
    return Database.connect({ url: url.toString(), applicationName, poolSize: 1 });
  };

  it('names a role that commits visits and may not create the temporary table for them, until it may', async () => {
    expect(await said()).toMatchObject({ status: 'ok' });
    const consuming = await connect(CONSUMER_APPLICATION_NAME);
    const grant = `GRANT TEMPORARY ON DATABASE ${server.name} TO "${consumer}"`;
    try {
      await expect(consuming.query('CREATE TEMPORARY TABLE staged ()')).rejects.toThrow(/temporary/);
      expect(await said()).toMatchObject({
        status: 'fail',
        found: expect.stringContaining(`"${consumer}" may not create temporary tables`),
        advice: expect.stringContaining(`${grant}:`),
      });
      await server.query(grant);
      expect(await said()).toMatchObject({ status: 'ok' });
      await consuming.query('CREATE TEMPORARY TABLE staged ()');
    } finally {
      await consuming.close();
    }
  });

  it('does not ask that of a role that commits none', async () => {
    const gateway = await connect('hopcount-gateway');
    await gateway.query('SELECT 1');
    expect(await said()).toMatchObject({ status: 'ok' });
    await gateway.close();
  });
});
