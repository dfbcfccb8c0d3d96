/** One change of the code after which the suite must fail. */
export interface Mutation {
  name: string;
  /** What it takes away. */
  breaks: string;
  /** Files below the root of the repository; `find` must be there exactly once. */
  edits: { file: string; find: string; replace: string }[];
  /** The smallest fault that must notice. */
  fault: string;
}

const COMMITTER = 'libs/ledger/src/commit/visit-committer.ts';
const INSERT_VISITS = 'libs/ledger/src/commit/sql/insert-visits.sql';
const COMMIT_VISITS = 'apps/consumer/src/steps/commit-visits.ts';
const DECIDE_START = 'apps/consumer/src/assignment/decide-start.ts';
const BATCH_STRATEGY = 'libs/kafka/src/batch/kafka-batch-strategy.ts';
const SEGMENT_WRITER = 'apps/gateway/src/visits/spool/segment-writer.ts';
const ANSWER_ALL = "for (const waiter of batch.waiters.splice(0)) waiter.durable('kafka'); batch.records = [];";
const PUBLISHER = 'apps/gateway/src/visits/visit-publisher.ts';
const DIRECT = 'libs/kafka/src/produce/direct-publisher.ts';
const DRAINER = 'apps/gateway/src/visits/spool-drainer.ts';
const FOLDER_STORE = 'libs/archive/src/store/folder-store.ts';
const ARCHIVE_WRITER = 'libs/archive/src/files/archive-writer.ts';
const SEALER = 'libs/archive/src/seal/visit-sealer.ts';
const ADD_TARGET = 'hostSum(this.#sums[TARGET!]!, TARGET!, hostName(visit.targetHost), visit).sum.add(checksum);';
const LINK_MEMORY = 'libs/links/src/resolution/link-memory.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'ledger-takes-copies',
    breaks: "the ledger's key: a copy comes in under a new id",
    edits: [
      {
        file: INSERT_VISITS,
        find: 'visit.occurred_at, visit.event_id, visit.link_id::bigint, visit.visitor::bigint,',
        replace: `visit.occurred_at, CASE WHEN EXISTS (SELECT FROM visits AS old
          WHERE old.occurred_at = visit.occurred_at AND old.event_id = visit.event_id)
          THEN gen_random_uuid() ELSE visit.event_id END, visit.link_id::bigint, visit.visitor::bigint,`,
      },
    ],
    fault: 'replay-with-empty-redis',
  },
  {
    name: 'on-conflict-removed',
    breaks: 'ON CONFLICT DO NOTHING: a copy is added to every sum again',
    edits: [
      {
        file: INSERT_VISITS,
        find: 'ON CONFLICT DO NOTHING',
        replace: 'ON CONFLICT (occurred_at, event_id) DO UPDATE SET source = excluded.source',
      },
    ],
    fault: 'replay-with-empty-redis',
  },
  {
    name: 'offset-before-transaction',
    breaks: 'effects before offsets: checkpoint and Kafka offset move on first',
    edits: [
      {
        file: COMMITTER,
        find: 'const checkpoint = await advanceCheckpoint(tx, batch);',
        replace: 'const checkpoint = await this.database.transaction((first) => advanceCheckpoint(first, batch));',
      },
      {
        file: BATCH_STRATEGY,
        find: 'const nextOffset = await this.#callHandler(batch, context);',
        replace: `await this.#commitOffset(payload, batch.records.at(-1).offset + 1n);
const nextOffset = await this.#callHandler(batch, context);`,
      },
    ],
    fault: 'kill-at-consumer-mid-transaction',
  },
  {
    name: 'marked-before-counted',
    // Either of the two alone loses nothing: a mark is not believed about what was in the log at the assignment.
    breaks: 'done marks only for what is committed, and believed only of what came after the assignment',
    edits: [
      {
        file: COMMIT_VISITS,
        find: 'const result = await deps.commitBatch(',
        replace: `await claims.markDone(incarnation, visits.prepared.eventIds);
const result = await deps.commitBatch(`,
      },
      { file: DECIDE_START, find: 'trustClaimsFrom: high,', replace: 'trustClaimsFrom: checkpoint,' },
    ],
    fault: 'kill-at-consumer-mid-transaction',
  },
  {
    name: 'prepared-without-one',
    breaks: 'the preparing thread hands over all visits of a batch',
    edits: [
      {
        file: 'apps/consumer/src/preparation/read-visits.ts',
        find: 'visits.add(steps.enrichVisit(decoded.visit));',
        replace: 'if (index !== 20) visits.add(steps.enrichVisit(decoded.visit));',
      },
    ],
    fault: 'flush-redis',
  },
  {
    name: 'quick-check-takes-all',
    breaks: 'what the quick check of a visit takes, the schema takes',
    edits: [
      {
        file: 'libs/contracts/src/plain-visit.ts',
        find: "if (typeof body !== 'object' || body === null) return false;",
        replace: "if (typeof body !== 'object' || body === null) return false;\n  if ('eventId' in body) return true;",
      },
    ],
    fault: 'poison',
  },
  {
    name: 'spool-not-on-disk',
    breaks: 'fsync before the answer: records stay in memory until the segment is closed',
    edits: [
      {
        file: SEGMENT_WRITER,
        find: 'async append(chunks: Buffer[], events: number): Promise<void> {',
        replace: `async append(chunks: Buffer[], events: number): Promise<void> {
        if (events > 0) {
            this.held = [...(this.held ?? []), ...chunks];
            this.sizeNow += chunks.reduce((sum, chunk) => sum + chunk.length, 0);
            this.events += events;
            return;
        }`,
      },
      {
        file: SEGMENT_WRITER,
        find: 'async seal(): Promise<void> {',
        replace: `async seal(): Promise<void> {
        const held = Buffer.concat(this.held ?? []);
        await this.file.write(held, 0, held.length, this.sizeNow - held.length);`,
      },
    ],
    fault: 'kill-gateways-while-spooling',
  },
  {
    name: 'answered-before-acknowledged',
    breaks: 'the visit is durable before its 302',
    edits: [{ file: PUBLISHER, find: 'failpointSoon(', replace: `${ANSWER_ALL} failpointSoon(` }],
    fault: 'stop-broker',
  },
  {
    name: 'failed-request-acknowledged',
    breaks: 'records of a request that an own connection did not see acknowledged are sent again',
    edits: [{ file: DIRECT, find: '// The socket has closed and said why; kafkajs', replace: 'return true; //' }],
    fault: 'stop-broker',
  },
  {
    name: 'drained-before-acknowledged',
    breaks: 'a spooled segment is deleted only after Kafka has all of it',
    edits: [
      {
        file: DRAINER,
        find: "await this.parts.kafka.publish(topic ?? this.parts.topic, records, { partition: 'rotate' });",
        replace: `await batch.confirm();
await this.parts.kafka.publish(topic ?? this.parts.topic, records, { partition: 'rotate' });`,
      },
    ],
    fault: 'stop-broker',
  },
  {
    name: 'manifest-before-rename',
    breaks: 'a file of the archive is in its place before the manifest names it',
    edits: [
      {
        file: FOLDER_STORE,
        find: `    await rename(written, target);
    await sync(dirname(target));`,
        replace: `        this.unplaced = { written: \`\${written}.later\`, target };
        await rename(written, this.unplaced.written);`,
      },
      {
        file: FOLDER_STORE,
        find: 'return join(this.name, path);',
        replace: `const target = join(this.name, path);
        return this.unplaced?.target === target ? this.unplaced.written : target;`,
      },
      {
        file: ARCHIVE_WRITER,
        find: "failpoint('archive.after-commit');",
        replace: `failpoint('archive.after-commit');
        const { rename } = await import('node:fs/promises');
        if (add !== undefined) await rename(store.unplaced.written, store.unplaced.target);
        store.unplaced = undefined;`,
      },
    ],
    fault: 'kill-at-archive-after-commit',
  },
  {
    name: 'no-read-back',
    breaks: 'what was written is held against the buckets before it counts',
    edits: [
      {
        file: ARCHIVE_WRITER,
        find: `      if (row?.different !== 0) throw differs({ path, differentBuckets: row?.different });
      return hoursOf(session, 'written');`,
        replace: "      return hoursOf(session, 'expected');",
      },
    ],
    fault: 'ledger-row-missing',
  },
  {
    name: 'late-visits-ignored',
    breaks: 'an hour that has files already is sealed again for visits that came late',
    edits: [
      {
        file: SEALER,
        find: 'const isWhole = usable.length === 0;',
        replace: `const isWhole = usable.length === 0;
        if (!isWhole) return undefined;`,
      },
    ],
    fault: 'archive-away',
  },
  {
    name: 'revoked-keys-remembered',
    breaks: 'what is known of a key is asked again within five seconds',
    edits: [
      { file: 'libs/identities/src/remembered.ts', find: 'const TTL_MS = 3_000;', replace: 'const TTL_MS = 90_000;' },
    ],
    fault: 'revoked-key',
  },
  {
    name: 'old-targets-kept',
    breaks: 'gateways forget what they held of a link that was changed',
    edits: [
      {
        file: LINK_MEMORY,
        find: '  forget(key: string): void {\n    this.#links.delete(key);',
        replace: '  forget(key: string): void {',
      },
      {
        file: LINK_MEMORY,
        find: 'if (entry !== undefined && isSame(entry.resolution.link, resolution.link)) {',
        replace: 'if (entry !== undefined) {',
      },
    ],
    fault: 'edited-link',
  },
  {
    name: 'limits-of-each-gateway',
    breaks: 'PostgreSQL decides who still gets a use, for all gateways',
    edits: [
      {
        file: 'libs/links/src/limits/link-uses.ts',
        find: 'return rows.map(({ is_free: isFree }) => isFree);',
        replace: `const uses = (this.uses ??= new Map());
        const count = (linkId) => uses.set(linkId, (uses.get(linkId) ?? 0) + 1).get(linkId);
        return rows.map((_, place) => count(asked[place].linkId) <= 60);`,
      },
    ],
    fault: 'limited-link',
  },
  {
    name: 'fed-twice',
    breaks: 'a batch of counts that is counted stays so: its row decides',
    edits: [
      {
        file: 'libs/ledger/src/hosts/sql/count-fed.sql',
        find: 'WHERE batch.settled_at IS NULL AND batch.body_hash',
        replace: 'WHERE batch.body_hash',
      },
    ],
    fault: 'replayed-counts',
  },
  {
    name: 'targets-left-out',
    breaks: 'each visit is one of its target: one in sixteen is not',
    edits: [
      {
        file: 'libs/ledger/src/hosts/record-host-changes.ts',
        find: ADD_TARGET,
        replace: `if (!visit.eventId.endsWith('0')) ${ADD_TARGET}`,
      },
    ],
    fault: 'flush-redis',
  },
  {
    name: 'target-checksums-left-out',
    breaks: 'checksums of targets are of the ids that count: one in sixteen is of another',
    edits: [
      {
        file: 'libs/ledger/src/hosts/record-host-changes.ts',
        find: ADD_TARGET,
        replace: ADD_TARGET.replace('(checksum)', "(visit.eventId.endsWith('0') ? { hi: 1, lo: 1 } : checksum)"),
      },
    ],
    fault: 'flush-redis',
  },
  {
    name: 'blocks-read-once',
    breaks: 'gateways follow blocks that come while they run',
    edits: [
      {
        file: 'libs/links/src/blocks/followed-blocks.ts',
        find: 'const PAUSE_MS = 5_000;',
        replace: 'const PAUSE_MS = 5_000_000;',
      },
    ],
    fault: 'blocked-host',
  },
];
