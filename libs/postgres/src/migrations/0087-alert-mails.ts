import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class AlertMails1771113600000 implements MigrationInterface {
  readonly name = 'AlertMails1771113600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0087-alert-mails.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0087-alert-mails.down.sql'));
  }
}
