import type { Logger } from './logger.js';

/**
 * Runs `stop` once on SIGTERM or SIGINT and exits: 0 when it finished, 1 when it failed or took
 * longer than `graceMs`; a second signal exits at once.
 */
export function onShutdownSignal(options: { graceMs: number; logger: Logger; stop: () => Promise<void> }): void {
  let stopping = false;
  const handle = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(130);
    stopping = true;
    options.logger.info({ signal }, 'stopping');
    setTimeout(() => {
      options.logger.error({ graceMs: options.graceMs }, 'did not stop in time');
      process.exit(1);
    }, options.graceMs).unref();
    options.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        options.logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
}
