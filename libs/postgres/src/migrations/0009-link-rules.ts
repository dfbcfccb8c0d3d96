import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LinkRules1764374400000 implements MigrationInterface {
  readonly name = 'LinkRules1764374400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0009-link-rules.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0009-link-rules.down.sql'));
  }
}
