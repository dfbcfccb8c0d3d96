import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class OperatorActions1763732000000 implements MigrationInterface {
  readonly name = 'OperatorActions1763732000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0009-operator-actions.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0009-operator-actions.down.sql'));
  }
}
