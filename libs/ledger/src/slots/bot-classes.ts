import { isPotentialBot, VISIT_CLASSES, visitClassNumber } from '@hopcount/contracts';

/** Stored numbers of the classes that count as bots. */
export const BOT_CLASSES: readonly number[] = VISIT_CLASSES.filter(isPotentialBot).map(visitClassNumber);
