import { Anchor, Modal, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { BASE_PATH } from '../../app/base-path.js';
import type { ShortUrl } from './links.js';

const SIZE = 300;

export function QrCodeModal({ link, onClose }: { link: ShortUrl; onClose: () => void }) {
  const { t } = useTranslation();
  const address = (format: 'png' | 'svg') => {
    const query = new URLSearchParams({
      size: String(SIZE),
      format,
      ...(link.domain !== null && { domain: link.domain }),
    });
    return `${BASE_PATH}/rest/v3/short-urls/${encodeURIComponent(link.shortCode)}/qr-code?${query.toString()}`;
  };
  return (
    <Modal opened onClose={onClose} title={t('links.qr.title')} closeButtonProps={{ 'aria-label': t('common.close') }}>
      <Stack align="center">
        <img src={address('svg')} alt={t('links.qr.alt', { link: link.shortUrl })} width={SIZE} height={SIZE} />
        <span className="foreign">{link.shortUrl}</span>
        <span>
          {(['png', 'svg'] as const).map((format) => (
            <Anchor key={format} href={address(format)} download={`${link.shortCode}.${format}`} mx="xs">
              {t('links.qr.download', { format: format.toUpperCase() })}
            </Anchor>
          ))}
        </span>
      </Stack>
    </Modal>
  );
}
