import { Drawer, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Scope } from '../statistics/queries.js';
import { useView } from '../view/use-view.js';
import { type Explained, toExplainQuestion } from './explained.js';
import { ProofPart } from './ProofPart.js';
import { VisitsPages } from './VisitsPages.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

interface Props {
  explained: Explained;
  scope: Scope;
  onClose: () => void;
}

/** The visits behind a number, and its proof. @public */
export function ExplainedNumber({ explained, scope, onClose }: Props) {
  useFocusBack();
  const { t } = useTranslation();
  const { question } = useView();
  const asked = toExplainQuestion(explained, scope, question);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      title={t('evidence.title')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack gap="md">
        <ProofPart asked={asked} />
        <VisitsPages asked={asked} hasLink={asked.shortCode === undefined} />
      </Stack>
    </Drawer>
  );
}
