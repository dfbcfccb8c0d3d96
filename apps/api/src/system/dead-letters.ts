import {
  type DeadLetterList,
  type DeadLetterShown,
  describeDeadLetter,
  printable,
  type Redrive,
  REDRIVE_FATES,
} from '@hopcount/contracts';
import {
  isKafkaFailure,
  type KafkaAdmin,
  type KafkaConnection,
  KafkaPublisher,
  readTopicRanges,
  type TopicOffset,
} from '@hopcount/kafka';
import {
  DeadLetterStates,
  finishAction,
  type Letter,
  LetterRedrive,
  RecordSender,
  startAction,
  VisitJudge,
  walkLetters,
} from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';
import { AppError, inTime, isAppError, LateAnswer } from '@hopcount/runtime';

import type { ApiConfig } from '../api.config.js';
import { olderThan, parsePlace, type Place, type Positions, positionsBefore } from './places.js';

const KAFKA_WAIT_MS = 20_000;
/** Of a letter's value in an answer. */
const MAX_SHOWN = 16_384;
/** Letters between the first and the last of a partition that a redrive names. */
const MAX_SPAN = 10_000n;

/** Dead letters for people: read as they are, sent again as the command line sends them. One reading at a time. */
export class DeadLetters {
  readonly #states: DeadLetterStates;
  #reading: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(
    private readonly database: Database,
    private readonly kafka: KafkaAdmin,
    private readonly connection: KafkaConnection,
    private readonly config: ApiConfig,
  ) {
    this.#states = new DeadLetterStates(database, config.deadLetterTopic);
  }

  /** The newest before `before`. @param before offsets of partitions, as `next` says them; null: from the end */
  async list(before: Positions | null, limit: number): Promise<{ data: Summary[]; next: Positions | null }> {
    return this.#alone(async (signal) => {
      const ends = positionsBefore(await this.#logs(), before);
      const found: Summary[] = [];
      await readTopicRanges(this.connection, {
        topic: this.config.deadLetterTopic,
        signal,
        ranges: ends.map(({ partition, low, end }) => ({
          partition,
          from: olderThan(end, BigInt(limit), low),
          to: end,
        })),
        // Described at once: what was sent may be large, and of most only the newest are shown.
        onRecords: async (records) => {
          const states = await this.#states.read(records);
          found.push(
            ...records.map((record, nth) => ({
              ...describeDeadLetter(record),
              place: `${record.partition}@${record.offset}`,
              state: states[nth] ?? ('waiting' as const),
            })),
          );
        },
      });
      const data = newestOf(found, limit);
      return { data, next: data.length === 0 ? null : nextOf(ends, data) };
    });
  }

  /** @throws AppError `dead-letter-not-found` */
  async show(place: Place): Promise<DeadLetterShown> {
    const [letter] = await this.#alone(() => this.#find([place]));
    if (letter === undefined) throw notFound(place);
    const { record, about, state } = letter;
    const [verdict] = await new VisitJudge(this.database, this.config).judge([record.value]);
    return {
      ...about,
      place: textOf(place),
      state,
      redriven: FATES[verdict?.kind ?? 'missing'],
      refusedBecause: verdict?.kind === 'refused' ? verdict.reason : null,
      headers: Object.fromEntries(
        Object.entries(record.headers).map(([name, value]) => [
          printable(name),
          printable(String([value].flat()[0] ?? ''), MAX_SHOWN),
        ]),
      ),
      value: record.value === null ? null : printable(record.value.toString(), MAX_SHOWN),
    };
  }

  /** Sends those that are there to be counted again, whatever became of them before. */
  async redrive(places: readonly Place[], operator: string): Promise<Redrive> {
    return this.#alone(async () => {
      const given = { places: places.map(textOf) };
      const action = { command: 'dead-letters redrive', arguments: given, operator, clusterId: null };
      const actionId = await startAction(this.database, action);
      let expectedCountChange = 0;
      const describe = (error: unknown) => (error as Error).message;
      const { counts } = await finishAction(
        this.database,
        actionId,
        async ({ id }) => {
          await this.#states.forgetGone(await this.#logs());
          const run = await this.#send(await this.#find(places), id);
          expectedCountChange = run.expected.size;
          return { outcome: 'done' as const, counts: { ...run.tally, expectedCountChange } };
        },
        describe,
      );
      const { sent, alreadyCounted, purged, refusedAgain } = counts;
      return { actionId, sent, expectedCountChange, alreadyCounted, purged, refusedAgain };
    });
  }

  async #send(letters: readonly Letter[], actionId: string): Promise<LetterRedrive> {
    const publisher = new KafkaPublisher(this.connection);
    const judge = new VisitJudge(this.database, this.config);
    const countsTopic = this.config.hostCountsTopic;
    try {
      if (letters.length > 0) await publisher.connect();
      const sender = new RecordSender(publisher, { topic: this.config.visitsTopic, countsTopic, actionId });
      const run = new LetterRedrive({ judge, countsTopic, execution: { sender, states: this.#states, actionId } });
      await run.take(letters);
      return run;
    } finally {
      await publisher.close();
    }
  }

  async #find(places: readonly Place[]): Promise<Letter[]> {
    const logs = await this.#logs();
    const ranges = logs.flatMap(({ partition, low, high }) => {
      const offsets = places
        .filter((place) => place.partition === partition && place.offset >= low && place.offset < high)
        .map(({ offset }) => offset)
        .sort((a, b) => (a < b ? -1 : 1));
      const [first, last] = [offsets[0], offsets.at(-1)];
      return first === undefined || last === undefined ? [] : [{ partition, from: first, to: last + 1n }];
    });
    if (ranges.some(({ from, to }) => to - from > MAX_SPAN)) {
      const message = `Letters of one partition that are more than ${MAX_SPAN} apart are redriven apart.`;
      throw new AppError('invalid-data', message, { details: { invalidElements: ['places'] } });
    }
    const wanted = new Set(places.map(textOf));
    const found: Letter[] = [];
    await walkLetters({
      ...{ connection: this.connection, topic: this.config.deadLetterTopic, ranges, states: this.#states },
      matches: ({ record }) => wanted.has(textOf(record)),
      limit: wanted.size,
      onLetters: (letters) => void found.push(...letters),
    });
    return found;
  }

  /** None of a topic that is missing. */
  async #logs(): Promise<TopicOffset[]> {
    const { deadLetterTopic: topic } = this.config;
    return (await this.kafka.topicNames()).includes(topic) ? this.kafka.topicOffsets(topic) : [];
  }

  /** @throws AppError `kafka-away`, `too-many-questions` (nothing was done) */
  async #alone<Answer>(work: (isLate: AbortSignal) => Promise<Answer>): Promise<Answer> {
    if (this.#waiting >= MAX_WAITING) throw tooMany();
    this.#waiting += 1;
    let isGivenUp = false;
    const late = new AbortController();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const turn = this.#reading.then(() => {
      if (isGivenUp) throw tooMany();
      begin();
      return work(late.signal);
    });
    this.#reading = turn.catch(() => undefined);
    void this.#reading.then(() => (this.#waiting -= 1));
    await inTime(begun, KAFKA_WAIT_MS).catch(() => {
      isGivenUp = true;
      throw tooMany();
    });
    try {
      return await inTime(turn, KAFKA_WAIT_MS);
    } catch (error) {
      // The next one does not wait for what nobody waits for.
      late.abort();
      if (isAppError(error, 'other-cluster')) throw new AppError('kafka-away', error.message, { cause: error });
      if (!isKafkaFailure(error) && !(error instanceof LateAnswer)) throw error;
      const message =
        'Kafka did not answer. Is it running? What was to be sent again may have been; sending it twice is harmless.';
      throw new AppError('kafka-away', message, { cause: error });
    }
  }
}

function tooMany(): AppError {
  return new AppError('too-many-questions', 'Others are reading dead letters: ask again shortly.');
}

const MAX_WAITING = 8;

const FATES = {
  missing: 'would-be-counted',
  counted: 'already-counted',
  purged: 'purged',
  refused: 'refused-again',
} as const satisfies Record<string, (typeof REDRIVE_FATES)[number]>;

type Summary = DeadLetterList['deadLetters']['data'][number];

/**
 * The newest of all partitions, of each from its end without a gap: what is not shown is below what is, so that the next page
 * begins there, whatever the times of a partition's letters are.
 */
function newestOf(found: readonly Summary[], limit: number): Summary[] {
  const heads = new Map<number, Summary[]>();
  for (const letter of found) {
    const { partition } = parsePlace(letter.place);
    heads.set(partition, [...(heads.get(partition) ?? []), letter]);
  }
  // Read in the order of offsets: the last one is a partition's newest.
  const rows = [...heads.values()];
  const newest: Summary[] = [];
  while (newest.length < limit) {
    const next = rows
      .filter((row) => row.length > 0)
      .sort((a, b) => (a.at(-1)!.time < b.at(-1)!.time ? 1 : -1))[0]
      ?.pop();
    if (next === undefined) break;
    newest.push(next);
  }
  return newest;
}

/** Where each partition goes on: below the oldest of its letters that were shown. */
function nextOf(ends: readonly { partition: number; low: bigint; end: bigint }[], shown: readonly { place: string }[]) {
  const left = new Map(ends.map(({ partition, end }) => [partition, end]));
  for (const { place } of shown) {
    const [partition = 0, offset = 0] = place.split('@').map(Number);
    const known = left.get(partition);
    if (known === undefined || BigInt(offset) < known) left.set(partition, BigInt(offset));
  }
  const isLast = ends.every(({ partition, low }) => (left.get(partition) ?? low) <= low);
  return isLast ? null : left;
}

function textOf({ partition, offset }: { partition: number; offset: bigint }): string {
  return `${partition}@${offset}`;
}

function notFound(place: Place): AppError {
  return new AppError(
    'dead-letter-not-found',
    `There is no dead letter at ${textOf(place)}: retention may have removed it.`,
  );
}
