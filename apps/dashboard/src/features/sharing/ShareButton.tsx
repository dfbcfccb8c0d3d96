import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { lazyPart } from '../../ui/lazy-part.js';
import type { Scope } from '../statistics/queries.js';

const ShareModals = lazyPart(() => import('./ShareModals.js'), 'ShareModals');

/** Makes a link to what is looked at, for whoever has no account. */
export function ShareButton({ scope = {} }: { scope?: Scope }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" className="no-print" onClick={() => setAsking(true)}>
        {t('sharing.share')}
      </Button>
      {isAsking && <ShareModals scope={scope} onClose={() => setAsking(false)} />}
    </>
  );
}
