import 'reflect-metadata';

import { armFailpoints, onShutdownSignal, parseConfig } from '@hopcount/runtime';

import { startWorker } from './worker.js';
import { workerConfigSchema } from './worker.config.js';

const SHUTDOWN_GRACE_MS = 25_000;

armFailpoints(process.env);
const config = parseConfig(workerConfigSchema, process.env);
const worker = await startWorker(config);
onShutdownSignal({ graceMs: SHUTDOWN_GRACE_MS, logger: worker.logger, stop: worker.stop });
