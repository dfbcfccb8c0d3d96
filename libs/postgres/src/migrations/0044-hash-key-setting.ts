import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class HashKeySetting1767398400000 implements MigrationInterface {
  readonly name = 'HashKeySetting1767398400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0044-hash-key-setting.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0044-hash-key-setting.down.sql'));
  }
}
