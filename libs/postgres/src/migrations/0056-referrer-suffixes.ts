import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class ReferrerSuffixes1768435200000 implements MigrationInterface {
  readonly name = 'ReferrerSuffixes1768435200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0056-referrer-suffixes.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0056-referrer-suffixes.down.sql'));
  }
}
