import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { actingAs, type Actor, currentActor, onlyAsk, onlyAsks, withinRequest } from './acting.js';

const actor = (name: string): Actor => ({
  ...{ kind: 'user', id: name, name, address: null, operation: null, requestId: null },
});
const nameAfter = async (turns: number) => {
  for (let n = 0; n < turns; n += 1) await turn();
  return currentActor()?.name;
};

describe('what is done as somebody', () => {
  it('is of each of those who act at once, however long each takes', async () => {
    const turns = [3, 1, 5, 0, 2, 4];
    const names = await Promise.all(turns.map((n) => actingAs(actor(`${n}`), () => nameAfter(n))));
    expect(names).toEqual(['3', '1', '5', '0', '2', '4']);
    expect(await Promise.all([nameAfter(1), actingAs(actor('again'), () => nameAfter(2))])).toEqual([
      undefined,
      'again',
    ]);
  });

  it('is the work of another within it, or of nobody, and theirs again afterwards', async () => {
    const seen = await actingAs(actor('outer'), async () => [
      await actingAs(actor('inner'), () => nameAfter(1)),
      await actingAs(null, () => nameAfter(1)),
      await nameAfter(1),
    ]);
    expect(seen).toEqual(['inner', undefined, 'outer']);
  });

  it("ends with it, also by an error: what it leaves behind is nobody's", async () => {
    let left: Promise<string | undefined> | undefined;
    const work = async () => {
      left = nameAfter(3);
      await turn();
      throw new Error(currentActor()?.name);
    };
    await expect(actingAs(actor('gone'), work)).rejects.toThrow('gone');
    expect(await left).toBeUndefined();
    // Also while others act, and anew.
    const others = actingAs(actor('other'), () => nameAfter(20));
    await expect(actingAs(actor('gone'), work)).rejects.toThrow('gone');
    expect(await left).toBeUndefined();
    expect(await others).toBe('other');
  });
});

describe('a request that only asks', () => {
  it('says so for all it starts, but not for what acts meanwhile', async () => {
    const asked = (says: boolean) =>
      withinRequest(async () => {
        if (says) onlyAsk();
        await turn();
        return [onlyAsks(), await actingAs(null, () => Promise.resolve(onlyAsks())), onlyAsks()];
      });
    expect(await Promise.all([asked(true), asked(false)])).toEqual([
      [true, false, true],
      [false, false, false],
    ]);
    onlyAsk();
    expect(onlyAsks()).toBe(false);
  });
});
