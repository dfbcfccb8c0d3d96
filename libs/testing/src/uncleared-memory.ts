/* eslint-disable no-restricted-properties, @typescript-eslint/unbound-method -- what this fills is what nothing of ours may use */

/**
 * Runs `work` while memory that Node hands out uncleared holds that byte everywhere. What `work` gives back must not depend on
 * the byte: otherwise it holds memory that it never wrote, which may be another request's.
 */
export async function inUnclearedMemory<T>(byte: number, work: () => T | Promise<T>): Promise<T> {
  const { allocUnsafe, allocUnsafeSlow } = Buffer;
  Buffer.allocUnsafe = (size) => allocUnsafe(size).fill(byte);
  Buffer.allocUnsafeSlow = (size) => allocUnsafeSlow(size).fill(byte);
  try {
    return await work();
  } finally {
    Object.assign(Buffer, { allocUnsafe, allocUnsafeSlow });
  }
}
