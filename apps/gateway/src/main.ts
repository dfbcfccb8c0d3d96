import 'reflect-metadata';

import { setFlagsFromString } from 'node:v8';

import { armFailpoints, createLogger, onShutdownSignal, parseConfig } from '@hopcount/runtime';

import { createGateway } from './create-gateway.js';
import { gatewayConfigSchema } from './gateway.config.js';
import { openGatewayResources } from './gateway-resources.js';
import { stopGateway } from './stop-gateway.js';

// Visits leave garbage and little that lives: V8 would let the heap grow to several times that before it collects.
setFlagsFromString('--heap-growing-percent=60');

const STOP_WITHIN_MS = 15_000;
/** The system takes as many of them as it allows (net.core.somaxconn). With Node's 511 those of a burst try again a second later. */
const WAITING_CONNECTIONS = 4_096;

armFailpoints(process.env);
const config = parseConfig(gatewayConfigSchema, process.env);
const logger = createLogger({ name: 'hopcount-gateway', level: config.logLevel });
const resources = await openGatewayResources(config, logger);
const app = await createGateway(config, resources, logger);

onShutdownSignal({
  graceMs: STOP_WITHIN_MS,
  logger,
  stop: () => stopGateway(app, resources.health, config),
});
await app.listen({ port: config.gatewayPort, host: config.host, backlog: WAITING_CONNECTIONS });
logger.info(
  { host: config.host, port: config.gatewayPort, ops: resources.ops.url, source: resources.source },
  'gateway ready',
);
