import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class OrphanVisits1763744400000 implements MigrationInterface {
  readonly name = 'OrphanVisits1763744400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0012-orphan-visits.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0012-orphan-visits.down.sql'));
  }
}
