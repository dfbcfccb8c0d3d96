import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LedgerCluster1770768000000 implements MigrationInterface {
  readonly name = 'LedgerCluster1770768000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0083-ledger-cluster.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0083-ledger-cluster.down.sql'));
  }
}
