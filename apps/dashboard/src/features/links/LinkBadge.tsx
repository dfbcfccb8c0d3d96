import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { type LinkState, linkState } from './link-state.js';
import type { ShortUrl } from './links.js';

const COLORS: Record<LinkState, string> = {
  active: 'teal',
  disabled: 'gray',
  notYet: 'blue',
  over: 'orange',
  full: 'orange',
};

export function LinkBadge({ link }: { link: ShortUrl }) {
  const { t } = useTranslation();
  const state = linkState(link, Date.now());
  return (
    <Badge color={COLORS[state]} variant="dot">
      {t(`links.state.${state}`)}
    </Badge>
  );
}
