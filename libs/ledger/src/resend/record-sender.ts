import { REPLAY_HEADERS } from '@hopcount/contracts';
import type { KafkaPublisher, OutgoingRecord } from '@hopcount/kafka';

export interface RecordToSend {
  record: Required<OutgoingRecord>;
  from: { topic: string; partition: string; offset: string };
}

/** One record batch must stay below the broker's limit (1 MB unless it was raised). */
const MAX_BATCH_BYTES = 500_000;
const MAX_BATCH_RECORDS = 500;

/** Sends records again with their own key and value: the ledger then counts each event once however often this runs. */
export class RecordSender {
  constructor(
    private readonly publisher: Pick<KafkaPublisher, 'publish'>,
    private readonly options: {
      topic: string;
      countsTopic: string;
      actionId: string;
      rateLimit?: (count: number) => Promise<void>;
    },
  ) {}

  /** Resolves once all in-sync replicas have the records. @throws AppError `kafka-unavailable` */
  async send(items: readonly RecordToSend[]): Promise<void> {
    const { topic, countsTopic, actionId, rateLimit } = this.options;
    await rateLimit?.(items.length);
    const toSend = ({ record, from }: RecordToSend) => ({
      ...record,
      headers: {
        ...record.headers,
        [REPLAY_HEADERS.action]: actionId,
        [REPLAY_HEADERS.originalTopic]: from.topic,
        [REPLAY_HEADERS.originalPartition]: from.partition,
        [REPLAY_HEADERS.originalOffset]: from.offset,
      },
    });
    const isCounts = ({ from }: RecordToSend) => from.topic === countsTopic;
    const [counts, visits] = [items.filter(isCounts), items.filter((item) => !isCounts(item))];
    await this.publisher.publish(topic, visits.map(toSend), { partition: 'rotate' });
    await this.publisher.publish(countsTopic, counts.map(toSend));
  }
}

/** Cuts a list into batches one request can carry; `ratePerSecond` keeps a batch below a second's worth. */
export function intoBatches<Item extends { record: { value: Buffer | string | null } }>(
  items: readonly Item[],
  ratePerSecond: number | undefined,
): Item[][] {
  const maxRecords = Math.max(1, Math.min(MAX_BATCH_RECORDS, ratePerSecond ?? MAX_BATCH_RECORDS));
  const batches: Item[][] = [];
  let batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const sizeBytes = item.record.value?.length ?? 0;
    if (batch.length > 0 && (batch.length >= maxRecords || bytes + sizeBytes > MAX_BATCH_BYTES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += sizeBytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
