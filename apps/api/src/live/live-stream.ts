import { type FeedCursor, formatCursor } from '@hopcount/statistics';

import { EventStream, type LiveReader, type StreamSettings } from './event-stream.js';
import type { LiveTopics } from './live-topics.js';

export interface LiveMessage {
  cursor: FeedCursor;
  /** The visited link; undefined: an orphan visit. */
  link: { code: string; domain: string; authorKeyId: number | null; groupId: string | null } | undefined;
  /** That was asked. */
  domain: string;
  /** One line of JSON. */
  data: string;
}

/** Visits, as they come, of the topics that its reader follows and as far as it reaches. */
export class LiveStream extends EventStream {
  constructor(
    readonly topics: LiveTopics,
    reader: LiveReader,
    settings: StreamSettings,
  ) {
    super(reader, settings);
  }

  send({ cursor, link, domain, data }: LiveMessage): void {
    const { visits, orphans, codes } = this.topics;
    const { reach } = this.reader;
    const isWanted = link === undefined ? orphans : visits || codes.has(link.code);
    if (isWanted && (link === undefined ? reach.holdsOrphan(domain) : reach.holds(link)))
      this.write(`id: ${formatCursor(cursor)}\ndata: ${data}\n\n`);
  }

  /** Without data it is no event to a client, but it goes on from there. */
  sendPlace(cursor: FeedCursor): void {
    this.write(`: alive\nid: ${formatCursor(cursor)}\n\n`);
  }

  /** Visits may have come that nobody can tell any more. */
  sendGap(): void {
    this.write('event: gap\ndata: {}\n\n');
  }
}
