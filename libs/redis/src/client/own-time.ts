import { Command } from 'ioredis';

interface WaitingCommand {
  isResolved: boolean;
  reject: (error: Error) => void;
  _commandTimeoutTimer?: NodeJS.Timeout;
}

/** A wait begins anew when its end comes late by this part of it, so often at most. */
const LATE_PART = 1 / 4;
const MOST_WAITS = 5;

let isInstalled = false;

/**
 * Commands time out by the time in which this process could run. ioredis rejects when the timer fires: after a pause of the process that
 * is before it reads the answer, which may be in the socket since long.
 */
export function timeOutInOwnTime(): void {
  if (isInstalled) return;
  (Command.prototype as unknown as { setTimeout: (ms: number) => void }).setTimeout = function (
    this: WaitingCommand,
    ms: number,
  ) {
    // ioredis clears it with the answer.
    this._commandTimeoutTimer ??= wait(this, ms, 1);
  };
  isInstalled = true;
}

function wait(command: WaitingCommand, ms: number, waits: number): NodeJS.Timeout {
  const endMs = performance.now() + ms;
  return setTimeout(() => {
    const isOwnFault = performance.now() - endMs > ms * LATE_PART && waits < MOST_WAITS;
    // Sockets are read between the timers and this.
    setImmediate(() => {
      if (command.isResolved) return;
      if (isOwnFault) command._commandTimeoutTimer = wait(command, ms, waits + 1);
      else command.reject(new Error('Command timed out'));
    });
  }, ms);
}
