import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Answer } from '../../ui/Answer.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { Panel } from '../../ui/Panel.js';
import { useFormat } from '../../ui/use-format.js';
import { ChecksPanel } from './ChecksPanel.js';
import { DeadLettersPanel } from './DeadLettersPanel.js';
import { FindingsList } from './FindingsList.js';
import { JobsPanel } from './JobsPanel.js';
import { NumbersPanel } from './NumbersPanel.js';
import { FilesPanel, GatewaysPanel, HeatPanel, MinutesPanel, PartitionsPanel, ProcessesPanel } from './StatePanels.js';
import { useSystem } from './system.js';
import { VerificationPanel } from './VerificationPanel.js';

/** @public */
export function SystemPage() {
  const { t } = useTranslation();
  const { instant } = useFormat();
  const query = useSystem();
  return (
    <>
      <PageHeader
        title={t('system.title')}
        subtitle={
          query.data && t('system.about', { time: instant(query.data.at, 'time'), version: query.data.version })
        }
      />
      <Answer query={query} height={600}>
        {(system) => (
          <Stack>
            <Panel title={t('system.toDo')}>
              <FindingsList system={system} />
            </Panel>
            <NumbersPanel system={system} />
            <DeadLettersPanel />
            <VerificationPanel verification={system.verification} />
            <JobsPanel />
            <PartitionsPanel system={system} />
            <MinutesPanel />
            <FilesPanel />
            <HeatPanel system={system} />
            <GatewaysPanel system={system} />
            <ProcessesPanel system={system} />
            <ChecksPanel />
          </Stack>
        )}
      </Answer>
    </>
  );
}
