import { Code, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { useFormat } from '../../ui/use-format.js';
import { useDeadLetter } from './system.js';
import classes from './system.module.css';
import { useFocusBack } from '../../ui/use-focus-back.js';

const FATES = {
  'would-be-counted': 'counted',
  'already-counted': 'already',
  purged: 'purged',
  'refused-again': 'refused',
} as const;

/** One letter whole. All of it may be what a stranger sent: it is only ever text. */
export function LetterModal({ place, onClose }: { place: string; onClose: () => void }) {
  useFocusBack();
  const { t } = useTranslation();
  const { instant, count } = useFormat();
  const query = useDeadLetter(place);
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('system.letters.letter', { place })}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Answer query={query}>
        {({ redriven, refusedBecause, headers, value, time, reason, step, sizeBytes }) => (
          <Stack gap="sm">
            <Text size="sm" data-fate={redriven}>
              {t(`system.letters.fate.${FATES[redriven]}`, { reason: refusedBecause ?? '' })}
            </Text>
            <dl className={classes.fields}>
              {[
                [t('system.letters.time'), instant(time, 'exact')],
                [t('system.letters.reason'), `${reason} (${step})`],
                [t('system.letters.bytes'), count(sizeBytes)],
                ...Object.entries(headers),
              ].map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd className="foreign">{text}</dd>
                </div>
              ))}
            </dl>
            <Code block tabIndex={0} aria-label={t('system.letters.value')}>
              {value ?? t('system.letters.empty')}
            </Code>
          </Stack>
        )}
      </Answer>
    </Modal>
  );
}
