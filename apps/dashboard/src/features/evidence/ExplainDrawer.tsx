import { useSearch } from '@tanstack/react-router';

import { lazyPart } from '../../ui/lazy-part.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import type { Scope } from '../statistics/queries.js';
import { NOT_EXPLAINED, parseExplained } from './explained.js';

const ExplainedNumber = lazyPart(() => import('./ExplainedNumber.js'), 'ExplainedNumber');

/** Open while the address names a number; what it shows is loaded when it is opened first. */
export function ExplainDrawer({ scope = {} }: { scope?: Scope }) {
  const explained = parseExplained(useSearch({ strict: false }));
  const changeSearch = useChangeSearch();
  if (explained === undefined) return null;
  return <ExplainedNumber explained={explained} scope={scope} onClose={() => changeSearch(NOT_EXPLAINED)} />;
}
