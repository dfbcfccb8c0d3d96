const AT_THE_LATEST_MS = 3_000;

/** Once the browser has nothing to do for the page. */
export function whenIdle(atTheLatestMs = AT_THE_LATEST_MS): Promise<void> {
  return new Promise((resolve) => {
    // Safari knows no idle time.
    if (!('requestIdleCallback' in window)) setTimeout(resolve, atTheLatestMs);
    else window.requestIdleCallback(() => resolve(), { timeout: atTheLatestMs });
  });
}

/** What goes on is a task of its own: the browser answers whoever does something in between. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
