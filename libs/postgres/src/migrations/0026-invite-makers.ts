import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class InviteMakers1765843200000 implements MigrationInterface {
  readonly name = 'InviteMakers1765843200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0026-invite-makers.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0026-invite-makers.down.sql'));
  }
}
