import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class QuietHostsByTime1769126400000 implements MigrationInterface {
  readonly name = 'QuietHostsByTime1769126400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0064-quiet-hosts-by-time.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0064-quiet-hosts-by-time.down.sql'));
  }
}
