import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class VisitWriters1769731200000 implements MigrationInterface {
  readonly name = 'VisitWriters1769731200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0071-visit-writers.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0071-visit-writers.down.sql'));
  }
}
