import { Foundation1763683200000 } from './0001-foundation.js';

/** In the order they are applied; append only. */
export const MIGRATIONS = [Foundation1763683200000];
