import type { Logger } from '@hopcount/runtime';
import type { Cluster, Redis } from 'ioredis';

import { probeNode, reconnectNode } from './nodes.js';

const PROBE_PAUSE_MS = 250;
const SILENT_CONNECTION_MS = 10_000;

/**
 * Of one node. States: `closed` (calls go through) → `open` on the first call that gets no answer → `closed` again when a
 * PING is answered or a new connection is ready. While open, calls are skipped and answered without Redis; the first one
 * after each pause sends a PING in the background and does not wait for it.
 */
export class Breaker {
  #isOpen = false;
  #openedAtMs = 0;
  #probeAtMs = 0;
  #probing = false;

  constructor(
    private readonly client: Redis | Cluster,
    private readonly node: string,
    private readonly logger: Logger,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  admits(): boolean {
    if (!this.#isOpen) return true;
    if (!this.#probing && performance.now() >= this.#probeAtMs) void this.#probe();
    return false;
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#openedAtMs = performance.now();
    this.#probeAtMs = this.#openedAtMs + PROBE_PAUSE_MS;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.logger.info({ node: this.node }, 'Redis answers again');
  }

  async #probe(): Promise<void> {
    this.#probing = true;
    try {
      await probeNode(this.client, this.node);
      this.close();
    } catch {
      const now = performance.now();
      this.#probeAtMs = now + PROBE_PAUSE_MS;
      // A connection whose other end vanished without a word would stay "ready" for many minutes.
      if (now - this.#openedAtMs > SILENT_CONNECTION_MS && reconnectNode(this.client, this.node)) {
        this.#openedAtMs = now;
      }
    } finally {
      this.#probing = false;
    }
  }
}
