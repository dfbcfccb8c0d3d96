import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class AttributedPeers1770422400000 implements MigrationInterface {
  readonly name = 'AttributedPeers1770422400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0079-attributed-peers.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0079-attributed-peers.down.sql'));
  }
}
