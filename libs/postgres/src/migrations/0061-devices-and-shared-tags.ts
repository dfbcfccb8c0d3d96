import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class DevicesAndSharedTags1768867200000 implements MigrationInterface {
  readonly name = 'DevicesAndSharedTags1768867200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0061-devices-and-shared-tags.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0061-devices-and-shared-tags.down.sql'));
  }
}
