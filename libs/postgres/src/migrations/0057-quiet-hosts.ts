import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class QuietHosts1768521600000 implements MigrationInterface {
  readonly name = 'QuietHosts1768521600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0057-quiet-hosts.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0057-quiet-hosts.down.sql'));
  }
}
