/** Numbers, dates and names as the language has them. Nothing here says 0 of what is not known. */
export const UNKNOWN = '–';

/** Made once of each kind: making one takes longer than a hundred numbers. There are as many as there are kinds, zones and languages in use. */
function keptFormats<Options extends object, Format>(make: (language: string, options: Options) => Format) {
  const kept = new Map<string, Format>();
  return (language: string, options = {} as Options): Format => {
    const key = `${language} ${JSON.stringify(options)}`;
    const found = kept.get(key) ?? make(language, options);
    kept.set(key, found);
    return found;
  };
}
const numberFormat = keptFormats(
  (language, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(language, options),
);
const dateFormat = keptFormats(
  (language, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(language, options),
);

/** `en` of a browser that asks for `en-GB` first is written as there; only where the script is the same (`zh-CN`, `zh-TW`). */
export function regionOf(language: string, asked: readonly string[]): string {
  const written = (name: string) => {
    const { language: spoken, script } = new Intl.Locale(name).maximize();
    return `${spoken}-${script ?? ''}`;
  };
  return asked.find((name) => written(name) === written(language)) ?? language;
}

export function formatCount(count: number | undefined | null, language: string): string {
  return count === undefined || count === null ? UNKNOWN : numberFormat(language).format(count);
}

/** `part` of `whole`; undefined where there is nothing to be a part of. */
export function formatShare(part: number, whole: number, language: string): string {
  if (whole === 0) return UNKNOWN;
  const share = numberFormat(language, {
    style: 'percent',
    maximumFractionDigits: part / whole < 0.1 ? 1 : 0,
  });
  return share.format(part / whole);
}

/** How much more: `+12 %`; unknown where there was nothing before. */
export function formatChange(now: number, before: number, language: string): string {
  if (before === 0) return UNKNOWN;
  const change = now / before - 1;
  const digits = Math.abs(change) < 0.1 ? 1 : 0;
  return numberFormat(language, {
    style: 'percent',
    maximumFractionDigits: digits,
    signDisplay: 'exceptZero',
  }).format(change);
}

const DATE_STYLES = {
  date: { year: 'numeric', month: 'short', day: 'numeric' },
  dateTime: { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  exact: {
    ...{ year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit' },
    fractionalSecondDigits: 3,
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export function formatInstant(
  instant: string | null | undefined,
  style: keyof typeof DATE_STYLES,
  { language, zone }: { language: string; zone?: string | undefined },
): string {
  if (instant === null || instant === undefined) return UNKNOWN;
  return dateFormat(language, { ...DATE_STYLES[style], timeZone: zone }).format(new Date(instant));
}

/** By what clocks are set back: an hour, or half of one (Lord Howe). */
const SET_BACK_MS = [3_600_000, 1_800_000];

/** The start of a point of a curve, as short as its interval allows; with its offset from UTC where a clock shows it twice. */
export function formatPoint(start: string, interval: string, place: { language: string; zone: string }): string {
  const options: Intl.DateTimeFormatOptions =
    interval === 'hour' || interval === '15min'
      ? { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }
      : interval === 'day' || interval === 'week'
        ? { weekday: 'short', month: 'short', day: 'numeric' }
        : { year: 'numeric', month: 'short' };
  const format = dateFormat(place.language, { ...options, timeZone: place.zone });
  const at = Date.parse(start);
  const shown = format.format(at);
  const isShownAt = (instant: number) => format.format(instant) === shown;
  const isTwice = options.hour !== undefined && SET_BACK_MS.some((by) => isShownAt(at - by) || isShownAt(at + by));
  if (!isTwice) return shown;
  const withOffset = { ...options, timeZone: place.zone, timeZoneName: 'shortOffset' } as const;
  return dateFormat(place.language, withOffset).format(at);
}

export function countryName(code: string, language: string): string | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  try {
    return new Intl.DisplayNames(language, { type: 'region', fallback: 'none' }).of(code);
  } catch {
    // Intl throws for a code that it does not know.
    return undefined;
  }
}

export function languageName(code: string, language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code;
  } catch {
    // Intl throws for a code that it does not know.
    return code;
  }
}
