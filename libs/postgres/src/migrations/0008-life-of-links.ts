import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class LifeOfLinks1764288000000 implements MigrationInterface {
  readonly name = 'LifeOfLinks1764288000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0008-life-of-links.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0008-life-of-links.down.sql'));
  }
}
