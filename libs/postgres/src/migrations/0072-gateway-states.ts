import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class GatewayStates1769817600000 implements MigrationInterface {
  readonly name = 'GatewayStates1769817600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0072-gateway-states.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0072-gateway-states.down.sql'));
  }
}
