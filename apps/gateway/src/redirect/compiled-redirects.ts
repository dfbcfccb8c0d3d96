import type { FollowedBlocks, Resolution } from '@hopcount/links';

import type { GatewayConfig } from '../gateway.config.js';
import { type CompiledRedirect, compileRedirect } from './decide-redirect.js';
import type { TargetRules } from './redirect-target.js';

/** How links are answered: decided once for each copy of a link in memory, and anew when the blocks have changed. */
export class CompiledRedirects {
  /** The memory cache hands out the same object until the link changes. */
  #compiled = new WeakMap<Resolution, CompiledRedirect>();
  #rules: TargetRules;

  constructor(
    { targetSchemes, shortUrlTrailingSlash }: Pick<GatewayConfig, 'targetSchemes' | 'shortUrlTrailingSlash'>,
    private readonly known: Pick<FollowedBlocks, 'list'>,
  ) {
    this.#rules = { schemes: targetSchemes, ignoresSlash: shortUrlTrailingSlash, blocks: known.list };
  }

  of(resolution: Resolution): CompiledRedirect {
    const blocks = this.known.list;
    if (this.#rules.blocks !== blocks) {
      this.#rules = { ...this.#rules, blocks };
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
