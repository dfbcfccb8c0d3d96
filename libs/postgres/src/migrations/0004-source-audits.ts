import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class SourceAudits1763728200000 implements MigrationInterface {
  readonly name = 'SourceAudits1763728200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0004-source-audits.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0004-source-audits.down.sql'));
  }
}
