import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class CachedPlans1766620800000 implements MigrationInterface {
  readonly name = 'CachedPlans1766620800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0035-cached-plans.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0035-cached-plans.down.sql'));
  }
}
