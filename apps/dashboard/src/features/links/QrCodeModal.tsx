import { Button, Group, Modal, NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { BASE_PATH } from '../../app/base-path.js';
import { useFormat } from '../../ui/use-format.js';
import type { ShortUrl } from './links.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

const PREVIEW_PX = 280;
const SIZES_PX = ['300', '600', '1000'];
/** How much of it, in percent, may be covered. */
const CORRECTIONS = { L: 7, M: 15, Q: 25, H: 30 };

/** The code as it is downloaded, before it is. @public */
export function QrCodeModal({ link, onClose }: { link: ShortUrl; onClose: () => void }) {
  useFocusBack();
  const { t } = useTranslation();
  const [size, setSize] = useState('300');
  const [errorCorrection, setCorrection] = useState('L');
  const address = (format: 'png' | 'svg') => {
    const { domain } = link;
    const query = new URLSearchParams({ size, errorCorrection, format, ...(domain !== null && { domain }) });
    return `${BASE_PATH}/rest/v3/short-urls/${encodeURIComponent(link.shortCode)}/qr-code?${query.toString()}`;
  };
  return (
    <Modal opened onClose={onClose} title={t('links.qr.title')} closeButtonProps={{ 'aria-label': t('common.close') }}>
      <Stack align="center">
        <img
          src={address('svg')}
          alt={t('links.qr.alt', { link: link.shortUrl })}
          width={PREVIEW_PX}
          height={PREVIEW_PX}
        />
        <span className="foreign">{link.shortUrl}</span>
        <Choices chosen={{ size, errorCorrection }} onSize={setSize} onCorrection={setCorrection} />
        <Group grow w="100%">
          {(['png', 'svg'] as const).map((format) => (
            <Button
              key={format}
              component="a"
              variant="default"
              href={address(format)}
              download={`${link.shortCode}.${format}`}
            >
              {t('links.qr.download', { format: format.toUpperCase() })}
            </Button>
          ))}
        </Group>
      </Stack>
    </Modal>
  );
}

interface ChoicesProps {
  chosen: { size: string; errorCorrection: string };
  onSize: (size: string) => void;
  onCorrection: (errorCorrection: string) => void;
}

function Choices({ chosen, onSize, onCorrection }: ChoicesProps) {
  const { t } = useTranslation();
  const { count, share } = useFormat();
  return (
    <Group grow w="100%">
      <NativeSelect
        label={t('links.qr.size')}
        value={chosen.size}
        onChange={({ currentTarget }) => onSize(currentTarget.value)}
        data={SIZES_PX.map((value) => ({ value, label: t('links.qr.pixels', { number: count(Number(value)) }) }))}
      />
      <NativeSelect
        label={t('links.qr.correction')}
        value={chosen.errorCorrection}
        onChange={({ currentTarget }) => onCorrection(currentTarget.value)}
        data={Object.entries(CORRECTIONS).map(([value, percent]) => ({ value, label: share(percent, 100) }))}
      />
    </Group>
  );
}
