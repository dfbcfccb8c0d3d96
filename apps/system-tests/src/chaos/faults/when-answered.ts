import { waitUntil } from '@hopcount/testing';

const API_WITHIN_MS = 60_000;

/** Tried again until the api answers as wanted: processes may just be starting. */
export async function whenAnswered<T>(describe: string, work: () => Promise<T>): Promise<NonNullable<T>> {
  let last: unknown;
  const tried = () =>
    work().catch((error: unknown) => {
      last = error;
      return undefined;
    });
  try {
    return await waitUntil(tried, { timeoutMs: API_WITHIN_MS, everyMs: 500, describe });
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${String(last)}`, { cause: last });
  }
}
