/** Of a stream: it is opened, it is open, it broke and is opened again, or nobody looks at the page. */
export type StreamState = 'opening' | 'open' | 'broken' | 'paused';

interface Handlers {
  /** @param lastEventId of the last event that came; undefined: none did */
  addressOf: (lastEventId: string | undefined) => Promise<string>;
  onEvent: (event: MessageEvent<string>) => void;
  onState: (state: StreamState) => void;
}

const SHORTEST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Server-sent events for as long as somebody looks: closed while the page is hidden (a browser has six connections to an
 * origin), and opened again when it is looked at. What breaks the browser opens again by itself; what the api refused, this,
 * after a wait that doubles.
 * @returns ends it
 */
export function followStream({ addressOf, onEvent, onState }: Handlers): () => void {
  let source: EventSource | undefined;
  let timer: number | undefined;
  let [waitMs, attempt] = [SHORTEST_WAIT_MS, 0];
  let lastEventId: string | undefined;

  const close = () => {
    // What is being opened belongs to an attempt that is over.
    attempt += 1;
    window.clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const retry = () => {
    close();
    onState('broken');
    timer = window.setTimeout(() => void open(), waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  };
  const open = async () => {
    const mine = (attempt += 1);
    onState('opening');
    // The page shows the state 'broken'.
    const address = await addressOf(lastEventId).catch(() => undefined);
    if (mine !== attempt) return;
    if (address === undefined) return retry();
    const opened = new EventSource(address);
    source = opened;
    const take = (event: MessageEvent<string>) => {
      if (event.lastEventId !== '') lastEventId = event.lastEventId;
      onEvent(event);
    };
    opened.onopen = () => {
      waitMs = SHORTEST_WAIT_MS;
      onState('open');
    };
    opened.onmessage = take;
    opened.addEventListener('gap', take);
    opened.onerror = () => (opened.readyState === EventSource.CLOSED ? retry() : onState('broken'));
  };
  const look = () => {
    close();
    if (document.visibilityState === 'visible') void open();
    else onState('paused');
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    close();
  };
}
