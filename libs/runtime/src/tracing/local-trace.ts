import { randomBytes } from 'node:crypto';

import type { TraceAttributes } from './trace-attributes.js';
import { isOneIn, type TraceContext, writeTraceparent } from './trace-context.js';

export type SpanKind = 'server' | 'producer' | 'consumer' | 'internal';

/** What a span is when it is over. Times are epoch milliseconds, with fractions. */
export interface EndedSpan {
  name: string;
  kind: SpanKind;
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  startedMs: number;
  endedMs: number;
  attributes: TraceAttributes;
  failure: string | undefined;
  links: readonly TraceContext[];
}

export interface SamplingRule {
  /** One of so many traces is kept whatever it tells. */
  oneIn: number;
  /** A root that took so long is kept. */
  slowMs: number;
}

export interface RootOptions {
  kind: SpanKind;
  parent?: TraceContext | undefined;
  /** Unless there is a parent; default: random. */
  traceId?: string;
  links?: readonly TraceContext[];
  startedMs?: number;
}

/** Beyond it a trace's spans are not kept: a request has few. */
const MAX_CHILDREN = 32;

export const nowMs = (): number => performance.timeOrigin + performance.now();
const newSpanId = () => randomBytes(8).toString('hex');

/**
 * The spans of one process in a trace, from its root on. They live as long as their request or batch; whether they are
 * kept is decided when the root ends (tail sampling): then `keep` gets all of them, or nobody does.
 *
 *   open ── end() ──► ended: slow, failed or one in so many → kept, else forgotten
 */
export class LocalTrace {
  readonly #children: EndedSpan[] = [];
  readonly #spanId = newSpanId();
  readonly #startedMs: number;
  #traceId: string | undefined;
  #failure: string | undefined;
  #attributes: TraceAttributes = {};
  #isEnded = false;

  constructor(
    private readonly name: string,
    private readonly options: RootOptions,
    private readonly rule: SamplingRule,
    private readonly keep: (spans: readonly EndedSpan[]) => void,
  ) {
    this.#traceId = options.parent?.traceId ?? options.traceId;
    this.#startedMs = options.startedMs ?? nowMs();
  }

  get traceId(): string {
    return (this.#traceId ??= randomBytes(16).toString('hex'));
  }

  /** A visit's own trace is called like the visit, unless the request came with one. */
  nameAfter(eventId: string): void {
    this.#traceId ??= eventId.replaceAll('-', '');
  }

  set(attributes: TraceAttributes): void {
    Object.assign(this.#attributes, attributes);
  }

  fail(reason: string): void {
    this.#failure ??= reason;
  }

  /** Of a step that begins now. */
  step(name: string, kind: SpanKind = 'internal', attributes: TraceAttributes = {}): Step {
    return new Step({ name, kind, startedMs: nowMs(), attributes }, newSpanId(), (step) => this.#ended(step));
  }

  /** For a header: what goes on elsewhere, below that step; undefined: nobody will keep it for sure. */
  headerOf(step: Step): string | undefined {
    if (!isOneIn(this.rule.oneIn, this.traceId)) return undefined;
    return writeTraceparent({ traceId: this.traceId, spanId: step.spanId, isSampled: true });
  }

  end(endedMs = nowMs()): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const isSlow = endedMs - this.#startedMs >= this.rule.slowMs;
    if (!isSlow && this.#failure === undefined && !isOneIn(this.rule.oneIn, this.traceId)) return;
    const { kind, parent, links = [] } = this.options;
    const own = { traceId: this.traceId, spanId: this.#spanId, parentId: parent?.spanId };
    const times = { startedMs: this.#startedMs, endedMs };
    const root = {
      name: this.name,
      kind,
      ...own,
      ...times,
      attributes: this.#attributes,
      failure: this.#failure,
      links,
    };
    const of = { traceId: this.traceId, parentId: this.#spanId };
    this.keep([root, ...this.#children.map((child) => ({ ...child, ...of }))]);
  }

  #ended(step: Omit<EndedSpan, 'traceId' | 'parentId'>): void {
    // What ends after the root is told nobody.
    if (this.#children.length < MAX_CHILDREN) this.#children.push({ ...step, traceId: '', parentId: undefined });
  }
}

export class Step {
  #isEnded = false;

  constructor(
    private readonly begun: Pick<EndedSpan, 'name' | 'kind' | 'startedMs' | 'attributes'>,
    readonly spanId: string,
    private readonly ended: (step: Omit<EndedSpan, 'traceId' | 'parentId'>) => void,
  ) {}

  /** @param failure why it did not do what it should */
  end(attributes: TraceAttributes = {}, failure?: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { begun, spanId } = this;
    this.ended({
      ...begun,
      ...{ spanId, endedMs: nowMs(), attributes: { ...begun.attributes, ...attributes }, failure, links: [] },
    });
  }
}
