import { describe, expect, it } from '@jest/globals';
import { isAppError } from '@hopcount/runtime';
import fc from 'fast-check';

import { parseCustomSlug } from '../codes/custom-slug.js';
import { parseAuthority } from './authority.js';
import { normalizeGroupId, normalizeTags } from './link-fields.js';
import { spellCode, spellDomain, spellGroup, spellTag, spellTags } from './names.js';

/** What a creation stores; undefined: it refuses the name. */
function stored<Name>(create: () => Name): Name | undefined {
  try {
    return create();
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}

const anyText = fc.string({ unit: 'binary', maxLength: 60 });
/** Ways to write the same name. */
const respelled = (text: string) => [text, text.normalize('NFD'), text.normalize('NFC'), ` ${text}\t`];

describe('names', () => {
  it('of tags, short codes and groups find what was created, in each spelling and as they are answered', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const [tag] = stored(() => normalizeTags([text])) ?? [];
        const code = stored(() => parseCustomSlug(text, true));
        const group = stored(() => normalizeGroupId(text));
        for (const spelling of respelled(text)) {
          if (tag !== undefined) expect([spellTag(spelling), spellTag(tag)]).toEqual([tag, tag]);
          if (code !== undefined) expect([spellCode(spelling), spellCode(code)]).toEqual([code, code]);
          if (group != null) expect([spellGroup(spelling), spellGroup(group)]).toEqual([group, group]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['Bücher.Example', ['bu\u0308cher.example.', 'XN--BCHER-KVA.EXAMPLE', ' bücher.example '], 'xn--bcher-kva.example'],
    ['go.example:8443', ['GO.Example.:8443', 'go.example:08443'], 'go.example:8443'],
    ['GO.example:80', ['go.example:080', 'go.EXAMPLE.:80'], 'go.example:80'],
    ['ｅｘａｍｐｌｅ.com', ['example.com', 'EXAMPLE.com.'], 'example.com'],
  ])('of the domain %s find it in the spellings %j', (created, spellings, authority) => {
    expect(parseAuthority(created)).toBe(authority);
    for (const spelling of [created, ...spellings, authority]) expect(spellDomain(spelling)).toBe(authority);
  });

  it('are the default domain, or what no name can be', () => {
    expect([spellDomain('DEFAULT'), spellDomain(' DEFAULT '), spellDomain('default')]).toEqual([null, null, 'default']);
    expect(spellDomain('not a host')).toBe('not a host');
    expect(spellTags([' ', 'B', 'b', 'a b'])).toEqual(['b', 'a-b']);
  });
});
