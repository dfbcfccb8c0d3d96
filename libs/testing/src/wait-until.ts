export interface WaitOptions {
  /** How long to wait in all; default 10 s. */
  timeoutMs?: number;
  /** Pause between two looks; default 25 ms. */
  everyMs?: number;
  /** What is awaited, for the failure message. */
  describe: string;
}

/**
 * Resolves with the first truthy value of `condition`; an error thrown by it counts as "not yet".
 * @throws Error naming what was awaited, with the last error as its cause.
 */
export async function waitUntil<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<NonNullable<T>> {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const deadline = Date.now() + timeoutMs;
  let lastError: Error | undefined;
  let lastValue: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
      lastValue = value;
      lastError = undefined;
    } catch (error) {
      lastError = error instanceof Error ? error : new Error(String(error));
    }
    if (Date.now() >= deadline) {
      const last =
        lastError === undefined ? `last answer ${JSON.stringify(lastValue)}` : `last error ${lastError.message}`;
      throw new Error(`${options.describe}: not within ${timeoutMs} ms (${last})`, { cause: lastError });
    }
    await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 25));
  }
}
