import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LooseCodes1764892800000 implements MigrationInterface {
  readonly name = 'LooseCodes1764892800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0015-loose-codes.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0015-loose-codes.down.sql'));
  }
}
