import { NativeSelect, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { SYSTEM_ZONE, keepZone, keptZone } from '../../features/view/default-zone.js';
import { zoneNames } from '../../features/view/zone-names.js';
import { changeLanguage, keepLanguage, LANGUAGES } from '../../i18n/i18n.js';
import { languageName } from '../../ui/format.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Panel } from '../../ui/Panel.js';
import { ShareLinksPanel } from '../../features/sharing/ShareLinksPanel.js';
import { ServerPanel } from './ServerPanel.js';

const SCHEMES = ['auto', 'light', 'dark'] as const;
const AUTO = '';

/** How these pages look in this browser, and how this server is set up. @public */
export function SettingsPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('settings.title')} />
      <Stack maw="44rem">
        <Panel title={t('common.appearance.title')}>
          <Stack>
            <Colors />
            <Language />
            <Zone />
          </Stack>
        </Panel>
        <ShareLinksPanel />
        <ServerPanel />
      </Stack>
    </>
  );
}

function Colors() {
  const { t } = useTranslation();
  const label = useId();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div>
      <Text id={label} size="sm" fw={500} mb={4}>
        {t('common.appearance.colors')}
      </Text>
      <SegmentedControl
        aria-labelledby={label}
        value={colorScheme}
        onChange={(value) => setColorScheme(SCHEMES.find((one) => one === value) ?? 'auto')}
        data={SCHEMES.map((value) => ({ value, label: t(`common.appearance.${value}`) }))}
      />
    </div>
  );
}

function Language() {
  const { t, i18n } = useTranslation();
  const choose = (language: string) => {
    keepLanguage(language);
    void changeLanguage(language);
  };
  return (
    <NativeSelect
      label={t('common.language')}
      value={i18n.language}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={LANGUAGES.map((value) => ({ value, label: languageName(value, value) }))}
    />
  );
}

function Zone() {
  const { t } = useTranslation();
  const [zone, setZone] = useState(keptZone() ?? AUTO);
  const choose = (chosen: string) => {
    setZone(chosen);
    keepZone(chosen === AUTO ? undefined : chosen);
  };
  return (
    <NativeSelect
      label={t('settings.zone')}
      description={t('settings.zoneHint')}
      value={zone}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
      data={[
        { value: AUTO, label: t('settings.zoneAuto', { zone: SYSTEM_ZONE }) },
        ...zoneNames(...(zone === AUTO ? [] : [zone])).map((value) => ({ value, label: value })),
      ]}
    />
  );
}
