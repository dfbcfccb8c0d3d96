import { parentPort, workerData } from 'node:worker_threads';

import { openGeoSources, openNetworks } from '@hopcount/links/visitors';
import { armFailpoints, createLogger, failpoint, secretsOf } from '@hopcount/runtime';

import type { ConsumerConfig } from '../consumer.config.js';
import { AnswerQuestions } from './answer-questions.js';
import type { FromThread, ToThread } from './thread-messages.js';
import { createVisitSteps } from './visit-steps.js';

// The thread that decodes visits, finds out what is known of them and prepares their commit, while the main one talks to
// Kafka, Redis and PostgreSQL. An error that is not of one question ends it, and with it the process.
armFailpoints(process.env);
const port = parentPort;
if (port === null) throw new Error('this is a thread of the consumer');
const config = workerData as ConsumerConfig;
const logger = createLogger({ name: 'consumer', level: config.logLevel });
const counts = { broken: 0, failures: 0 };
const options = { logger, onBroken: () => (counts.broken += 1) };
const questions = new AnswerQuestions(
  createVisitSteps({
    geoSources: openGeoSources(config.geoDatabases, options),
    networks: openNetworks(config.networkDatabases, options),
    hashKeys: secretsOf(config),
    ledgerDays: config.ledgerDays,
    onLookupFailure: () => (counts.failures += 1),
    logger,
  }),
  () => {
    const { failures } = counts;
    counts.failures = 0;
    return failures;
  },
);
const tell = (message: FromThread, memory: ArrayBuffer[] = []) => port.postMessage(message, memory);

port.on('message', (message: ToThread) => {
  if ('release' in message) return questions.release(message.release);
  const { id, question } = message;
  failpoint('consumer.thread-question');
  Promise.resolve()
    .then(() => questions.answer(question))
    .then(
      (answer) => tell({ id, answer }, 'prepared' in answer ? [answer.prepared.rows.buffer] : []),
      (error: Error) => tell({ id, error }),
    );
});
tell({ ready: { broken: counts.broken } });
