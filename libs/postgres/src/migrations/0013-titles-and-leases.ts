import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class TitlesAndLeases1764720000000 implements MigrationInterface {
  readonly name = 'TitlesAndLeases1764720000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0013-titles-and-leases.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0013-titles-and-leases.down.sql'));
  }
}
