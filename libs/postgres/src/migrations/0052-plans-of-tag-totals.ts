import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class PlansOfTagTotals1768089600000 implements MigrationInterface {
  readonly name = 'PlansOfTagTotals1768089600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0052-plans-of-tag-totals.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0052-plans-of-tag-totals.down.sql'));
  }
}
