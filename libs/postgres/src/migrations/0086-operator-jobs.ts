import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class OperatorJobs1771027200000 implements MigrationInterface {
  readonly name = 'OperatorJobs1771027200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0086-operator-jobs.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0086-operator-jobs.down.sql'));
  }
}
