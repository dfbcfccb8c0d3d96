import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class VisitHosts1767484800000 implements MigrationInterface {
  readonly name = 'VisitHosts1767484800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0045-visit-hosts.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0045-visit-hosts.down.sql'));
  }
}
