import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class MadeUpPasswords1770681600000 implements MigrationInterface {
  readonly name = 'MadeUpPasswords1770681600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0082-made-up-passwords.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0082-made-up-passwords.down.sql'));
  }
}
