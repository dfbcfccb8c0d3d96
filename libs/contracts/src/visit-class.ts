/**
 * What kind of client made a visit: a label, never a reason to drop it.
 * The position in this list is the number stored in PostgreSQL: append only, never reorder.
 */
export const VISIT_CLASSES = ['human', 'bot', 'preview', 'prefetch', 'opted-out'] as const;
export type VisitClass = (typeof VISIT_CLASSES)[number];

export function visitClassNumber(visitClass: VisitClass): number {
  return VISIT_CLASSES.indexOf(visitClass);
}

export function visitClassFromNumber(value: number): VisitClass {
  const visitClass = VISIT_CLASSES[value];
  if (visitClass === undefined) throw new RangeError(`no visit class has the number ${value}`);
  return visitClass;
}

/**
 * What put a visit into its class: the first rule that applied. `person`: none did.
 * The position in this list is the number stored in PostgreSQL: append only, never reorder.
 */
export const CLASS_REASONS = [
  ...(['person', 'prefetch-header', 'preview-agent', 'no-agent', 'http-library', 'known-bot'] as const),
  ...(['do-not-track', 'imported', 'click-flood'] as const),
] as const;
export type ClassReason = (typeof CLASS_REASONS)[number];

/** Shlink's two-way split: a preview or prefetch was asked for by a machine too. */
export function isPotentialBot(visitClass: VisitClass): boolean {
  return visitClass === 'bot' || visitClass === 'preview' || visitClass === 'prefetch';
}

/** Visits by class, every class present. */
export type VisitsByClass = Record<VisitClass, number>;

export function noVisits(): VisitsByClass {
  return { human: 0, bot: 0, preview: 0, prefetch: 0, 'opted-out': 0 };
}
