import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class HostFeedDays1768348800000 implements MigrationInterface {
  readonly name = 'HostFeedDays1768348800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0055-host-feed-days.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0055-host-feed-days.down.sql'));
  }
}
