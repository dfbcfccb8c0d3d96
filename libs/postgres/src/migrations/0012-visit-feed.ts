import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class VisitFeed1764633600000 implements MigrationInterface {
  readonly name = 'VisitFeed1764633600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0012-visit-feed.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0012-visit-feed.down.sql'));
  }
}
