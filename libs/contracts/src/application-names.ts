/** As which the worker is connected to PostgreSQL: doctor looks for it there. */
export const WORKER_APPLICATION_NAME = 'hopcount-worker';
/** The same for consumers. */
export const CONSUMER_APPLICATION_NAME = 'hopcount-consumer';
