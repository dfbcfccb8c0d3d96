import 'reflect-metadata';

import { setFlagsFromString } from 'node:v8';

import { armFailpoints, onShutdownSignal, parseConfig } from '@hopcount/runtime';

import { startConsumer } from './consumer.js';
import { consumerConfigSchema } from './consumer.config.js';

// Batches leave much garbage and little that lives (50 MB). By default V8 lets the heap grow to several times that before it
// collects. Twice keeps the process within 350 MB; half as much again would save 30 MB and take a sixth more processor time.
setFlagsFromString('--heap-growing-percent=100');

const SHUTDOWN_GRACE_MS = 25_000;

armFailpoints(process.env);
const config = parseConfig(consumerConfigSchema, process.env);
// Bundled beside this one (bundle-apps.mjs).
const preparation = new URL('./preparation.bundle.js', import.meta.url);
const consumer = await startConsumer(config, preparation);
onShutdownSignal({ graceMs: SHUTDOWN_GRACE_MS, logger: consumer.logger, stop: consumer.stop });
