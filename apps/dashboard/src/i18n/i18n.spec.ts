import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const PLURAL = /_(zero|one|two|few|many|other)$/;
const languages = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());

type Texts = { [name: string]: string | Texts };

const flat = (texts: Texts, before: string): [string, string][] =>
  Object.entries(texts).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' ? [[before + name, text]] : flat(text, `${before}${name}.`),
  );
const textsOf = (language: string) =>
  new Map(
    readdirSync(join(FOLDER, language))
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => {
        const texts = JSON.parse(readFileSync(join(FOLDER, language, file), 'utf8')) as Texts;
        return flat(texts, `${file.replace('.json', '')}.`);
      }),
  );
const english = textsOf('en');
/** Keys as pages ask for them: a plural is one. */
const asked = (texts: Map<string, string>) =>
  [...new Set([...texts.keys()].map((key) => key.replace(PLURAL, '')))].sort();
const gapsOf = (text = '') => (text.match(/\{\{\w+\}\}/g) ?? []).sort();

describe.each(languages.map(({ name }) => name))('the texts in %s', (language) => {
  const texts = textsOf(language);

  it('are all there, none too many, none empty', () => {
    expect(asked(texts)).toEqual(asked(english));
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('have each plural that the language has', () => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const plurals = new Set(
      [...english.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, '')),
    );
    for (const key of plurals) {
      expect([key, [...texts.keys()].filter((one) => one.replace(PLURAL, '') === key).sort()]).toEqual([
        key,
        forms.map((form) => `${key}_${form}`).sort(),
      ]);
    }
  });

  it('have the same gaps for values as the English ones', () => {
    for (const [key, text] of texts) {
      const like = english.get(key) ?? english.get(key.replace(PLURAL, '_other'));
      expect([key, gapsOf(text)]).toEqual([key, gapsOf(like)]);
    }
  });

  it('are loaded: each file stands in first.ts or rest.ts', () => {
    const [first, rest] = ['first.ts', 'rest.ts'].map((file) => readFileSync(join(FOLDER, language, file), 'utf8'));
    const files = readdirSync(join(FOLDER, language)).filter((file) => file.endsWith('.json'));
    const timesLoaded = files.map((file) => [first, rest].filter((text) => text?.includes(`'./${file}'`)).length);
    expect(files.filter((_, nth) => timesLoaded[nth] !== 1)).toEqual([]);
  });
});
