import 'reflect-metadata';

import { testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type DataSourceOptions, EntitySchema } from 'typeorm';

import { ENTITIES } from './index.js';

describe('the entities', () => {
  let server: Awaited<ReturnType<typeof testDatabase>>;

  beforeAll(async () => {
    server = await testDatabase();
  });
  afterAll(() => server.drop());

  /** What TypeORM would change in the migrated database to make its tables fit the entities. */
  const changesWanted = async (entities: NonNullable<DataSourceOptions['entities']>) => {
    const source = new DataSource({ type: 'postgres', url: server.url, entities });
    await source.initialize();
    try {
      return (await source.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);
    } finally {
      await source.destroy();
    }
  };

  it('are the tables that the migrations make: columns, types, nulls, defaults, keys and indexes', async () => {
    expect(await changesWanted(ENTITIES)).toEqual([]);
  });

  const name = { type: 'text', collation: 'C' } as const;
  const uniques = [{ name: 'tags_name_key', columns: ['name'] }];
  it.each([
    ['nothing', { name }, uniques, []],
    ['a column too many', { name, colour: { type: 'text' } }, uniques, ['ADD "colour"']],
    ['a column too few', {}, [], ['DROP COLUMN "name"', 'tags_name_key']],
    ['another type', { name: { ...name, type: 'bytea' } }, uniques, ['ADD "name" bytea']],
    ['another nullability', { name: { ...name, nullable: true } }, uniques, ['DROP NOT NULL']],
    ['another collation', { name: { ...name, collation: 'POSIX' } }, uniques, ['COLLATE "POSIX"']],
    ['a key too few', { name }, [], ['DROP CONSTRAINT "tags_name_key"']],
  ] as const)('would be found to differ in %s', async (_, columns, keys, changes) => {
    const id = { type: 'integer', primary: true, generated: 'identity', generatedIdentity: 'ALWAYS' } as const;
    const options = { columns: { id: { ...id, primaryKeyConstraintName: 'tags_pkey' }, ...columns }, uniques: keys };
    const wanted = await changesWanted([new EntitySchema({ name: 'tags', ...(options as object) } as never)]);
    expect(wanted.length === 0).toBe(changes.length === 0);
    for (const change of changes) expect(wanted.join('\n')).toContain(change);
  });
});
