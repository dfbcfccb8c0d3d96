import i18next, { type Resource } from 'i18next';
import { initReactI18next } from 'react-i18next';

import type english from './en/index.js';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof english };
  }
}

const LOADERS = import.meta.glob<{ default: Resource[string][string] }>('./*/index.ts');
export const LANGUAGES = Object.keys(LOADERS).map((path) => path.split('/')[1] ?? '');
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

async function load(language: string): Promise<void> {
  const texts = await LOADERS[`./${language}/index.ts`]?.();
  if (texts !== undefined) i18next.addResourceBundle(language, 'translation', texts.default);
}

export async function startI18n(): Promise<void> {
  const language = preferred();
  await i18next
    .use(initReactI18next)
    .init({ lng: language, fallbackLng: false, interpolation: { escapeValue: false } });
  await changeLanguage(language);
}

export async function changeLanguage(language: string): Promise<void> {
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

export function keepLanguage(language: string): void {
  localStorage.setItem(KEPT_AS, language);
}
