import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class WebhookDeliveries1768780800000 implements MigrationInterface {
  readonly name = 'WebhookDeliveries1768780800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0060-webhook-deliveries.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0060-webhook-deliveries.down.sql'));
  }
}
