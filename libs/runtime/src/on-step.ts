/** Told before each step of a long work: what it is, how many are done, and of how many. */
export type OnStep = (doing: string, done: number, total: number) => void;
