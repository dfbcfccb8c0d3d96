import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LinkAnomalies1766188800000 implements MigrationInterface {
  readonly name = 'LinkAnomalies1766188800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0030-link-anomalies.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0030-link-anomalies.down.sql'));
  }
}
