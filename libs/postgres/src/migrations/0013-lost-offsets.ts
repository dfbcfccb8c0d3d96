import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LostOffsets1763745000000 implements MigrationInterface {
  readonly name = 'LostOffsets1763745000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0013-lost-offsets.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0013-lost-offsets.down.sql'));
  }
}
