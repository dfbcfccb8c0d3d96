import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class HostTraffic1767571200000 implements MigrationInterface {
  readonly name = 'HostTraffic1767571200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0046-host-traffic.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0046-host-traffic.down.sql'));
  }
}
