import { Module } from '@nestjs/common';
import { ApiKeyRegistry, ApiKeys } from '@hopcount/identities';
import { Database } from '@hopcount/postgres';

import { provide } from '../provide.js';
import { ApiKeysController } from './api-keys.controller.js';

@Module({
  controllers: [ApiKeysController],
  providers: [provide(ApiKeyRegistry, Database, ApiKeys)],
})
export class ApiKeysModule {}
