import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class VisitLabels1766275200000 implements MigrationInterface {
  readonly name = 'VisitLabels1766275200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0031-visit-labels.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0031-visit-labels.down.sql'));
  }
}
