import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LinkWarnings1766016000000 implements MigrationInterface {
  readonly name = 'LinkWarnings1766016000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0028-link-warnings.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0028-link-warnings.down.sql'));
  }
}
