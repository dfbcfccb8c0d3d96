import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class DoubtsNamed1770595200000 implements MigrationInterface {
  readonly name = 'DoubtsNamed1770595200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0081-doubts-named.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0081-doubts-named.down.sql'));
  }
}
