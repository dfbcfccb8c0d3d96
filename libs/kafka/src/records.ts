/** A record as read from Kafka: bytes untouched. */
export interface IncomingRecord {
  offset: bigint;
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, Buffer | string | (Buffer | string)[] | undefined>;
  /** Broker's append time, epoch milliseconds. */
  timestampMs: number;
}

/** Records of one partition, in offset order. */
export interface RecordBatch {
  topic: string;
  partition: number;
  records: IncomingRecord[];
  /** Offset after the last record the broker had when it answered. */
  highWatermark: bigint;
}

export interface OutgoingRecord {
  key: Buffer | string | null;
  value: Buffer | string | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | undefined>;
}
