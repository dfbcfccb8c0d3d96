import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class DoubtedSums1770508800000 implements MigrationInterface {
  readonly name = 'DoubtedSums1770508800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0080-doubted-sums.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0080-doubted-sums.down.sql'));
  }
}
