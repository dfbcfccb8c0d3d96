import 'reflect-metadata';

import { onShutdownSignal, parseConfig } from '@hopcount/runtime';

import { startConsumer } from './consumer.js';
import { consumerConfigSchema } from './consumer.config.js';

const SHUTDOWN_GRACE_MS = 25_000;

const config = parseConfig(consumerConfigSchema, process.env);
const consumer = await startConsumer(config, '0.1.0');
onShutdownSignal({ graceMs: SHUTDOWN_GRACE_MS, logger: consumer.logger, stop: consumer.stop });
