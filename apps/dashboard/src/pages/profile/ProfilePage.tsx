import { Button, NativeSelect, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import { useUser } from '../../features/session/session.js';
import { useSignOut } from '../../features/session/use-sign-out.js';
import { changeLanguage, keepLanguage, LANGUAGES } from '../../i18n/i18n.js';
import { ErrorState } from '../../ui/ErrorState.js';
import { languageName } from '../../ui/format.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Panel } from '../../ui/Panel.js';

const SCHEMES = ['auto', 'light', 'dark'] as const;

/** Who is signed in, and how these pages look for them. @public */
export function ProfilePage() {
  const { t } = useTranslation();
  const { name, email } = useUser();
  const signOut = useSignOut();
  return (
    <>
      <PageHeader title={name} subtitle={email}>
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('session.signOut')}
        </Button>
      </PageHeader>
      <Stack maw="32rem">
        {signOut.isError && <ErrorState error={signOut.error} />}
        <Panel title={t('common.appearance.title')}>
          <Appearance />
        </Panel>
      </Stack>
    </>
  );
}

function Appearance() {
  const { t, i18n } = useTranslation();
  const label = useId();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (language: string) => {
    keepLanguage(language);
    void changeLanguage(language);
  };
  return (
    <Stack>
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
      <NativeSelect
        label={t('common.language')}
        value={i18n.language}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={LANGUAGES.map((value) => ({ value, label: languageName(value, value) }))}
      />
    </Stack>
  );
}
