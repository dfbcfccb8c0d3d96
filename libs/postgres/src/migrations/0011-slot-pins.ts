import type { MigrationInterface, QueryRunner } from 'typeorm';

import { loadSql } from '../load-sql.js';

export class SlotPins1763742000000 implements MigrationInterface {
  readonly name = 'SlotPins1763742000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0011-slot-pins.up.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(loadSql(import.meta.url, '0011-slot-pins.down.sql'));
  }
}
