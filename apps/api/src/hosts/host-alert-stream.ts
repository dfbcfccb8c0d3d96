import { EventStream, type LiveReader, type StreamSettings } from '../live/event-stream.js';

/** Surges: each that comes behind `cursor`, in their order. */
export class HostAlertStream extends EventStream {
  /** @param cursor id of the last event the reader has; undefined: it begins with what comes from now on */
  constructor(
    reader: LiveReader,
    public cursor: number | undefined,
    settings: StreamSettings,
  ) {
    super(reader, settings);
  }

  /** @returns false: it has no room; the cursor stays */
  send(id: number, data: string): boolean {
    if (!this.write(`id: ${id}\ndata: ${data}\n\n`)) return false;
    this.cursor = id;
    return true;
  }

  /** Some of what came behind its cursor is not told any more: it goes on behind `id`. @returns as send() */
  sendGap(id: number): boolean {
    if (!this.write(`event: gap\ndata: {}\nid: ${id}\n\n`)) return false;
    this.cursor = id;
    return true;
  }

  /** Without data it is no event to a client, but it goes on from there. */
  sendPlace(): void {
    this.write(`: alive\nid: ${this.cursor ?? ''}\n\n`);
  }
}
