import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { KeysetPages } from '../../ui/KeysetPages.js';
import { useChangeSearch } from '../../ui/use-change-search.js';
import { Attribution } from '../statistics/Attribution.js';
import type { toExplainQuestion } from './explained.js';
import { useExplained } from './queries.js';
import { VisitsList } from './VisitsList.js';

interface Props {
  asked: ReturnType<typeof toExplainQuestion>;
  /** Whether it says of which link each is. */
  hasLink: boolean;
}

/** Visits, newest first, a page at a time: the address says behind which one this page begins. */
export function VisitsPages({ asked, hasLink }: Props) {
  const { t } = useTranslation();
  const { explainBefore: before }: Record<string, unknown> = useSearch({ strict: false });
  const changeSearch = useChangeSearch();
  const after = typeof before === 'string' && before !== '' ? before : undefined;
  const query = useExplained(asked, after);
  return (
    <section aria-label={t('evidence.list')}>
      <Answer query={query} height={400}>
        {({ visits, next, timeZone, attribution }) => (
          <>
            {visits.length === 0 ? (
              <EmptyState>{t('statistics.noVisits')}</EmptyState>
            ) : (
              <VisitsList visits={visits} timeZone={timeZone} hasLink={hasLink} />
            )}
            <KeysetPages
              {...{ after, next }}
              labels={{ first: t('evidence.newest'), next: t('evidence.older') }}
              onPage={(explainBefore) => changeSearch({ explainBefore })}
            />
            <Attribution line={attribution} />
          </>
        )}
      </Answer>
    </section>
  );
}
