import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class HostAlerts1767657600000 implements MigrationInterface {
  readonly name = 'HostAlerts1767657600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0047-host-alerts.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0047-host-alerts.down.sql'));
  }
}
