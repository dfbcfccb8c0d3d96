import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LinkTagPositions1763722800000 implements MigrationInterface {
  readonly name = 'LinkTagPositions1763722800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0002-link-tag-positions.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0002-link-tag-positions.down.sql'));
  }
}
