import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class ProviderIdentities1765411200000 implements MigrationInterface {
  readonly name = 'ProviderIdentities1765411200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0021-provider-identities.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0021-provider-identities.down.sql'));
  }
}
