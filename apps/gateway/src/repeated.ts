import type { Logger } from '@hopcount/runtime';

/** Work for which nobody waits: again `everyMs` after it ended, never beside itself. What it throws is noted; the next time tries again. */
export class Repeated {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly work: () => Promise<void>,
    private readonly times: { firstMs: number; everyMs: number },
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.#runIn(this.times.firstMs);
  }

  /** Waits for the work under way. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  #runIn(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.work().catch((error: unknown) => this.logger.debug({ err: error }, 'next time'));
      void this.#running.then(() => {
        if (this.#timer !== undefined) this.#runIn(this.times.everyMs);
      });
    }, delayMs).unref();
  }
}
