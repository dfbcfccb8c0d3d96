import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class UnattributedPurges1770336000000 implements MigrationInterface {
  readonly name = 'UnattributedPurges1770336000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0078-unattributed-purges.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0078-unattributed-purges.down.sql'));
  }
}
