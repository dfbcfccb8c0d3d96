import { Module } from '@nestjs/common';
import { BlockStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';

import { provide } from '../provide.js';
import { BlocksController } from './blocks.controller.js';

@Module({ controllers: [BlocksController], providers: [provide(BlockStore, Database)] })
export class BlocksModule {}
