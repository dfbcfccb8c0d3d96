import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class HostPeers1768608000000 implements MigrationInterface {
  readonly name = 'HostPeers1768608000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0058-host-peers.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0058-host-peers.down.sql'));
  }
}
