import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class HostEpochs1768953600000 implements MigrationInterface {
  readonly name = 'HostEpochs1768953600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0062-host-epochs.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0062-host-epochs.down.sql'));
  }
}
