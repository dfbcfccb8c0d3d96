import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class VisitImports1765065600000 implements MigrationInterface {
  readonly name = 'VisitImports1765065600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0017-visit-imports.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0017-visit-imports.down.sql'));
  }
}
