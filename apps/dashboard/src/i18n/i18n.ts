import i18next, { type Resource } from 'i18next';
import { initReactI18next } from 'react-i18next';

import type first from './en/first.js';
import type rest from './en/rest.js';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof first & typeof rest };
  }
}

type Loaders = Record<string, () => Promise<{ default: Resource[string][string] }>>;

/** Of the first page, of signing in and of the frame around pages. */
const FIRST: Loaders = import.meta.glob<{ default: Resource[string][string] }>('./*/first.ts');
/** Of all other pages: half of all texts is about what few look at. */
const REST: Loaders = import.meta.glob<{ default: Resource[string][string] }>('./*/rest.ts');
export const LANGUAGES = Object.keys(FIRST).map((path) => path.split('/')[1] ?? '');
const KEPT_AS = 'hopcount.language';

/** The language that was chosen here, else the first one the browser asks for that there is. */
function preferred(): string {
  const wanted = [localStorage.getItem(KEPT_AS) ?? '', ...navigator.languages];
  for (const name of wanted) {
    const found =
      LANGUAGES.find((one) => one === name) ?? LANGUAGES.find((one) => one.split('-')[0] === name.split('-')[0]);
    if (found !== undefined) return found;
  }
  return 'en';
}

/** @returns adds them to those that are there */
async function load(loaders: Loaders, part: 'first' | 'rest', language: string): Promise<() => void> {
  const texts = await loaders[`./${language}/${part}.ts`]?.();
  return () => {
    if (texts !== undefined) i18next.addResourceBundle(language, 'translation', texts.default);
  };
}

let starting: Promise<void> | undefined;

/** With the texts of the first page; `loadRestOfTexts` has the others. */
export function startI18n(): Promise<void> {
  starting ??= start(preferred());
  return starting;
}

async function start(language: string): Promise<void> {
  const loading = load(FIRST, 'first', language);
  await i18next
    .use(initReactI18next)
    .init({ lng: language, fallbackLng: false, interpolation: { escapeValue: false } });
  const add = await loading;
  add();
  await speak(language);
}

/** Also while it is being started: a page is loaded beside the first texts. */
export async function loadRestOfTexts(): Promise<void> {
  const loading = load(REST, 'rest', i18next.isInitialized === true ? i18next.language : preferred());
  const [add] = await Promise.all([loading, startI18n()]);
  add();
}

export async function changeLanguage(language: string): Promise<void> {
  const loaded = await Promise.all([load(FIRST, 'first', language), load(REST, 'rest', language)]);
  for (const add of loaded) add();
  await speak(language);
}

async function speak(language: string): Promise<void> {
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

export function keepLanguage(language: string): void {
  localStorage.setItem(KEPT_AS, language);
}
