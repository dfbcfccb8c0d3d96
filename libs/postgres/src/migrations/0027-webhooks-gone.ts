import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class WebhooksGone1765929600000 implements MigrationInterface {
  readonly name = 'WebhooksGone1765929600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0027-webhooks-gone.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0027-webhooks-gone.down.sql'));
  }
}
