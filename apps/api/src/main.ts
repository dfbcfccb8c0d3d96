import 'reflect-metadata';

import { setFlagsFromString } from 'node:v8';

import { armFailpoints, createLogger, goAfterOthers, onShutdownSignal, parseConfig } from '@hopcount/runtime';

import { apiConfigSchema } from './api.config.js';
import { openApiResources } from './api-resources.js';
import { createApi } from './create-api.js';
import { stopApi } from './stop-api.js';

// Large answers leave much garbage and little that lives (80 MB). By default V8 lets the heap grow to several times that.
setFlagsFromString('--heap-growing-percent=30');

const STOP_WITHIN_MS = 15_000;

armFailpoints(process.env);
const config = parseConfig(apiConfigSchema, process.env);
// Counting goes first: whoever asks may wait, whoever is counted may not.
goAfterOthers(config.apiNice);
const logger = createLogger({ name: 'hopcount-api', level: config.logLevel });
const resources = await openApiResources(config, logger);
const app = await createApi(config, resources, logger);

onShutdownSignal({
  graceMs: STOP_WITHIN_MS,
  logger,
  stop: () => stopApi(app, resources),
});
await app.listen(config.apiPort, config.host);
void resources.archive
  .checkFiles()
  .catch((error: unknown) =>
    logger.warn({ err: error }, 'files of the archive are looked at when they are first needed'),
  );
logger.info({ host: config.host, port: config.apiPort, ops: resources.ops.url }, 'api ready');
