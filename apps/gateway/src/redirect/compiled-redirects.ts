import type { FollowedBlocks, Resolution } from '@hopcount/links';

import { type CompiledRedirect, compileRedirect } from './decide-redirect.js';
import type { TargetRules } from './redirect-target.js';

/** How links are answered: decided once for each copy of a link in memory, and anew when the blocks have changed. */
export class CompiledRedirects {
  /** The memory cache hands out the same object until the link changes. */
  #compiled = new WeakMap<Resolution, CompiledRedirect>();
  #rules: TargetRules;

  constructor(
    private readonly settings: Pick<TargetRules, 'schemes' | 'ignoresSlash'>,
    private readonly known: Pick<FollowedBlocks, 'list'>,
  ) {
    this.#rules = { ...settings, blocks: known.list };
  }

  of(resolution: Resolution): CompiledRedirect {
    const blocks = this.known.list;
    if (this.#rules.blocks !== blocks) {
      this.#rules = { ...this.settings, blocks };
      this.#compiled = new WeakMap();
    }
    let compiled = this.#compiled.get(resolution);
    if (compiled === undefined) {
      compiled = compileRedirect(resolution, this.#rules);
      this.#compiled.set(resolution, compiled);
    }
    return compiled;
  }
}
