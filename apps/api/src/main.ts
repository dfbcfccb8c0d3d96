import 'reflect-metadata';

import { createLogger, onShutdownSignal, parseConfig } from '@hopcount/runtime';

import { apiConfigSchema } from './api.config.js';
import { openApiResources } from './api-resources.js';
import { createApi } from './create-api.js';

const STOP_WITHIN_MS = 15_000;

const config = parseConfig(apiConfigSchema, process.env);
const logger = createLogger({ name: 'hopcount-api', level: config.logLevel });
const resources = await openApiResources(config, logger);
const app = await createApi(config, resources, logger);

onShutdownSignal({
  graceMs: STOP_WITHIN_MS,
  logger,
  stop: async () => {
    resources.health.drain();
    await app.close();
    await resources.close();
  },
});
await app.listen(config.port, config.host);
logger.info({ host: config.host, port: config.port }, 'api ready');
