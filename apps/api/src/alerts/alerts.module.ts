import { Module } from '@nestjs/common';

import { StatisticsModule } from '../statistics/statistics.module.js';
import { AlertsController } from './alerts.controller.js';

@Module({ imports: [StatisticsModule], controllers: [AlertsController] })
export class AlertsModule {}
