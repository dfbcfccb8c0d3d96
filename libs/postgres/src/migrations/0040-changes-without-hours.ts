import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class ChangesWithoutHours1767052800000 implements MigrationInterface {
  readonly name = 'ChangesWithoutHours1767052800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0040-changes-without-hours.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0040-changes-without-hours.down.sql'));
  }
}
