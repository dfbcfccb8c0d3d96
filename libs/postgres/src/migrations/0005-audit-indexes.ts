import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class AuditIndexes1763740800000 implements MigrationInterface {
  readonly name = 'AuditIndexes1763740800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0005-audit-indexes.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0005-audit-indexes.down.sql'));
  }
}
