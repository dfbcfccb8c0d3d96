import { Module } from '@nestjs/common';

import { HealthController } from './health.controller.js';
import { OpsController } from './ops.controller.js';

@Module({ controllers: [HealthController, OpsController] })
export class OperationsModule {}
