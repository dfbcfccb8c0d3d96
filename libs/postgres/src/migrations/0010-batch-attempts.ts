import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class BatchAttempts1763733000000 implements MigrationInterface {
  readonly name = 'BatchAttempts1763733000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0010-batch-attempts.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0010-batch-attempts.down.sql'));
  }
}
