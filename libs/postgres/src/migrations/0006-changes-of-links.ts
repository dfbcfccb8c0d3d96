import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class ChangesOfLinks1764115200000 implements MigrationInterface {
  readonly name = 'ChangesOfLinks1764115200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0006-changes-of-links.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0006-changes-of-links.down.sql'));
  }
}
