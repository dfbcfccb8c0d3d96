/** Told before each step of a long work: what it is, how many are done, and of how many. */
export type OnStep = (doing: string, done: number, total: number) => void;

/** How far a part of a long work is, for people who watch. */
export interface PartProgress {
  at(done: number, now?: { total?: number | undefined; doing?: string }): void;
  /** All is done, however much it was said to be. */
  end(done?: number): void;
}

/** Who shows it: the terminal of a command, or the row of a job. */
export interface ShowsProgress {
  /** @param what plural, of what is counted; the number of all may come later */
  startProgress(what: string, total?: number | bigint): PartProgress;
}

/** The same of what says its steps itself. */
export async function inSteps<Result>(
  shown: ShowsProgress,
  what: string,
  work: (onStep: OnStep) => Promise<Result>,
): Promise<Result> {
  const progress = shown.startProgress(what);
  let all = 0;
  const result = await work((doing, done, total) => {
    all = total;
    progress.at(done, { total, doing });
  });
  progress.end(all);
  return result;
}
