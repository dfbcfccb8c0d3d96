import { AppError } from '@hopcount/runtime';

import { spellGroup, spellTags } from './names.js';

export const MAX_TITLE_LENGTH = 512;
export const MAX_TAG_LENGTH = 256;
export const MAX_TAGS = 100;
export const MAX_GROUP_ID_LENGTH = 64;
export const MAX_NOTE_LENGTH = 4_096;
export const MAX_GROUP_NAME_LENGTH = 256;

/** PostgreSQL text holds neither U+0000 nor half a surrogate pair. */
const UNSTORABLE = /[\u0000\p{Cs}]/u;

/** Cropped and trimmed; null when nothing is left. @throws AppError `invalid-data` */
export function normalizeTitle(title: string | null): string | null {
  if (title === null) return null;
  const cropped = assertStorable(title, 'title').trim().slice(0, MAX_TITLE_LENGTH);
  // The cut may go through a surrogate pair.
  return cropped.replace(UNSTORABLE, '').trim() || null;
}

/** Lower case, trimmed, spaces to `-`; empty ones and repetitions dropped, order kept. @throws AppError `invalid-data` */
export function normalizeTags(tags: readonly string[], field = 'tags'): string[] {
  const unique = spellTags(tags.map((tag) => assertStorable(tag, field)));
  if (unique.length > MAX_TAGS || unique.some((name) => name.length > MAX_TAG_LENGTH)) {
    throw invalid(field, `At most ${MAX_TAGS} tags of ${MAX_TAG_LENGTH} characters.`);
  }
  return unique;
}

/** NFC and without spaces around; null when nothing is left. @throws AppError `invalid-data` */
export function normalizeGroupId(groupId: string | null): string | null {
  if (groupId === null) return null;
  const trimmed = spellGroup(assertStorable(groupId, 'groupId'));
  if (trimmed.length > MAX_GROUP_ID_LENGTH) {
    throw invalid('groupId', `A group id may have at most ${MAX_GROUP_ID_LENGTH} characters.`);
  }
  return trimmed || null;
}

/** Without spaces around; null when nothing is left. @throws AppError `invalid-data` */
export function normalizeGroupName(name: string): string | null {
  const trimmed = assertStorable(name, 'name').trim();
  if (trimmed.length <= MAX_GROUP_NAME_LENGTH) return trimmed || null;
  throw invalid('name', `A group's name may have at most ${MAX_GROUP_NAME_LENGTH} characters.`);
}

/** As written, without spaces around; null when nothing is left. @throws AppError `invalid-data` */
export function normalizeNote(note: string | null): string | null {
  if (note === null) return null;
  const trimmed = assertStorable(note, 'note').trim();
  if (trimmed.length > MAX_NOTE_LENGTH) throw invalid('note', `A note may have at most ${MAX_NOTE_LENGTH} characters.`);
  return trimmed || null;
}

function assertStorable(text: string, field: string): string {
  if (UNSTORABLE.test(text)) throw invalid(field, 'The text holds broken characters.');
  return text;
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
