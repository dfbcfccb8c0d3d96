import { readFileSync } from 'node:fs';

import { PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database, postgresErrorCode, readMigrationFiles } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

/** Migrations after this one are undone and applied again: the newest that are released, and whatever comes after them. */
const FROM = 60;
const DOWN_FILES = new URL('../../../../libs/postgres/src/migrations/', import.meta.url);
const LINKS = 200;
const BATCH = 250;
/** Whoever waits longer for a lock is refused: that is how a pause is seen, whatever else the machine does. */
const LONGEST_PAUSE = "lock_timeout = '1s'";
const PAUSED = '55P03';
/** This version's code on the schema of an earlier one. */
const NOT_THERE_YET = new Set(['42P01', '42703', '42883']);

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await testDatabase();
  await server.query("INSERT INTO domains (authority, is_default) VALUES ('s.test', true)");
  await server.query(
    `INSERT INTO links (id, domain_id, code, long_url)
     SELECT n, domains.id, n::text, 'https://example.com/' FROM domains, generate_series(1, $1) AS n`,
    [LINKS],
  );
  await server.query(`ALTER DATABASE ${server.name} SET ${LONGEST_PAUSE}`);
  database = await Database.connect({ url: server.url, applicationName: 'spec' });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const visits = () =>
  Array.from({ length: BATCH }, (_, index) => enrichedVisit({ linkId: String((index % LINKS) + 1), atMs: Date.now() }));

/** Commits of visits, edits of links, and what any writer asks of any table, until told to stop. */
async function load() {
  const refused: string[] = [];
  const done = { commits: 0, edits: 0, rounds: 0 };
  let isEnding = false;
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      const code = postgresErrorCode(error) ?? String(error);
      if (!NOT_THERE_YET.has(code)) refused.push(`${name}: ${code === PAUSED ? 'waited longer than a second' : code}`);
    }
  };
  const repeat = async (work: () => Promise<unknown>) => {
    while (!isEnding) await work();
  };
  const ref = { group: 'g', topic: 't', partition: 0 };
  let checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
  const committer = new VisitCommitter(database, { slots: 8 });
  const commit = async () => {
    const nextOffset = checkpoint.nextOffset + BigInt(BATCH);
    const given = { checkpoint, nextOffset, lastRecordAtMs: Date.now(), visits: visits() };
    checkpoint = (await committer.commit(given)).checkpoint;
    done.commits += 1;
  };
  const tables = (
    await server.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class
       WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'schema_migrations' ORDER BY 1`,
    )
  ).map(({ name }) => name);
  const writeEverywhere = async () => {
    for (const name of tables) {
      await attempt(name, () => database.transaction((tx) => tx.query(`LOCK TABLE ${name} IN ROW EXCLUSIVE MODE`)));
    }
    done.rounds += 1;
  };
  const edit = async () => {
    await attempt('edit of a link', () =>
      database.query("UPDATE links SET long_url = 'https://example.com/e' WHERE id = 7"),
    );
    done.edits += 1;
  };
  const loops = Promise.all([repeat(() => attempt('commit', commit)), repeat(edit), repeat(writeEverywhere)]);
  const untilMore = async () => {
    const { commits, edits, rounds } = done;
    while (done.commits < commits + 2 || done.edits < edits + 2 || done.rounds < rounds + 2) {
      if (refused.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const end = async () => {
    isEnding = true;
    await loops;
    return refused;
  };
  return { untilMore, end };
}

it('no migration makes a commit, an edit or any writer wait for more than a second', async () => {
  const files = readMigrationFiles().filter(({ number }) => number > FROM);
  for (const { file, name } of [...files].reverse()) {
    await server.query(readFileSync(new URL(`${file}.down.sql`, DOWN_FILES), 'utf8'));
    await server.query("DELETE FROM schema_migrations WHERE name ~ ('^' || $1 || '[0-9]+$')", [name]);
  }
  const running = await load();
  await running.untilMore();
  const applied = await database.migrate();
  await running.untilMore();
  expect(await running.end()).toEqual([]);
  expect(applied).toHaveLength(files.length);
  expect(files.length).toBeGreaterThanOrEqual(3);
});

it.each([
  ['locks a table of commits', 'LOCK TABLE visits IN SHARE MODE; SELECT pg_sleep(3)', /^(commit|visits)/],
  ['locks a table that commits never touch', 'LOCK TABLE api_keys IN SHARE MODE; SELECT pg_sleep(3)', /^api_keys/],
  ['changes rows', "UPDATE links SET long_url = 'https://example.com/all'; SELECT pg_sleep(3)", /^edit of a link/],
])('a migration that %s is noticed', async (_, sql, victim) => {
  const running = await load();
  await running.untilMore();
  await database.transaction((tx) => tx.query(sql));
  const refused = await running.end();
  expect(refused).toContainEqual(expect.stringMatching(victim));
  expect(refused).toContainEqual(expect.stringContaining('waited longer than a second'));
});
