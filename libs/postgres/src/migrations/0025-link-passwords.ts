import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LinkPasswords1765756800000 implements MigrationInterface {
  readonly name = 'LinkPasswords1765756800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0025-link-passwords.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0025-link-passwords.down.sql'));
  }
}
