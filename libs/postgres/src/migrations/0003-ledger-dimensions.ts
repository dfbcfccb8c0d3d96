import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LedgerDimensions1763723700000 implements MigrationInterface {
  readonly name = 'LedgerDimensions1763723700000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0003-ledger-dimensions.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0003-ledger-dimensions.down.sql'));
  }
}
