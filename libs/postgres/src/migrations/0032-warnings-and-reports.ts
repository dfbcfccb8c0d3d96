import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class WarningsAndReports1766361600000 implements MigrationInterface {
  readonly name = 'WarningsAndReports1766361600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0032-warnings-and-reports.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0032-warnings-and-reports.down.sql'));
  }
}
