import type { RecordBatch } from '@hopcount/kafka';
import { isOneIn, type LocalTrace, readTraceparent, type Step, TRACE, type Tracing } from '@hopcount/runtime';

/** Of a batch: so many visits' traces are gone on with at most. */
const MAX_VISITS = 32;

interface OpenBatch {
  root: LocalTrace;
  visits: LocalTrace[];
}

/**
 * A batch has a trace of its own, which links to those of the visits in it; each of these goes on with what the batch did
 * for it. A partition has one batch in hand at a time.
 */
export class BatchTraces {
  readonly #open = new Map<number, OpenBatch>();

  constructor(
    private readonly tracing: Pick<Tracing, 'start'>,
    private readonly oneIn: number,
  ) {}

  async around<T>(batch: RecordBatch, work: () => Promise<T>): Promise<T> {
    const open = this.#start(batch);
    const all = [open.root, ...open.visits];
    this.#open.set(batch.partition, open);
    try {
      return await work();
    } catch (error) {
      for (const trace of all) trace.fail((error as Error).message);
      throw error;
    } finally {
      if (this.#open.get(batch.partition) === open) this.#open.delete(batch.partition);
      for (const trace of all) trace.end();
    }
  }

  /** Of the batch of that partition. */
  async step<T>(partition: number, name: string, work: () => Promise<T>): Promise<T> {
    const { root, visits } = this.#open.get(partition) ?? { root: undefined, visits: [] };
    const steps: Step[] = [...(root === undefined ? [] : [root]), ...visits].map((trace) => trace.step(name));
    try {
      const result = await work();
      for (const step of steps) step.end();
      return result;
    } catch (error) {
      for (const step of steps) step.end({}, (error as Error).message);
      throw error;
    }
  }

  #start({ topic, partition, records }: RecordBatch): OpenBatch {
    const about = { [TRACE.messaging]: 'kafka', [TRACE.topic]: topic, [TRACE.partition]: String(partition) };
    const traced = records.flatMap((record) => {
      const parent = readTraceparent(record.headers['traceparent']?.toString());
      return parent?.isSampled === true && isOneIn(this.oneIn, parent.traceId) ? [{ record, parent }] : [];
    });
    const linked = traced.slice(0, MAX_VISITS);
    const root = this.tracing.start('process visits', { kind: 'consumer', links: linked.map(({ parent }) => parent) });
    root.set({ ...about, [TRACE.messages]: records.length, [TRACE.offset]: records[0]?.offset.toString() ?? '' });
    const visits = linked.map(({ record, parent }) => {
      const visit = this.tracing.start('count visit', { kind: 'consumer', parent });
      const eventId = record.key?.toString() ?? '';
      const at = { [TRACE.offset]: record.offset.toString(), [TRACE.batchTrace]: root.traceId };
      visit.set({ ...about, ...at, [TRACE.eventId]: eventId });
      return visit;
    });
    return { root, visits };
  }
}
