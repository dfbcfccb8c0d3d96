import { Modal, Stack, Table, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { UNKNOWN } from '../../ui/format.js';
import { useFormat } from '../../ui/use-format.js';
import type { AuditEntry } from './audit-log.js';
import { useFocusBack } from '../../ui/use-focus-back.js';

/** All that is known of a change: what differs, before and after it, as the api tells it. */
export function EntryModal({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  useFocusBack();
  const { t } = useTranslation();
  const { instant } = useFormat();
  const { actor } = entry;
  const facts = [
    [t('auditLog.time'), instant(entry.date, 'exact')],
    [t('auditLog.actor'), actor.name],
    [t('auditLog.address'), actor.address],
    [t('auditLog.operation'), actor.operation],
    [t('auditLog.request'), actor.requestId],
  ] as const;
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={t('auditLog.entry')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <Stack>
        <div>
          {facts.map(
            ([name, value]) =>
              value !== null && (
                <Text key={name} size="sm" className="foreign">
                  {name}: {value}
                </Text>
              ),
          )}
        </div>
        <Fields entry={entry} />
      </Stack>
    </Modal>
  );
}

function Fields({ entry: { before, after } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Table.ScrollContainer minWidth={0} tabIndex={0} role="region" aria-label={t('auditLog.entry')}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('auditLog.field')}</Table.Th>
            <Table.Th scope="col">{t('auditLog.before')}</Table.Th>
            <Table.Th scope="col">{t('auditLog.after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map((field) => (
            <Table.Tr key={field}>
              <Table.Th scope="row" fw={500}>
                {field}
              </Table.Th>
              <Table.Td className="foreign">{textOf(before?.[field])}</Table.Td>
              <Table.Td className="foreign">{textOf(after?.[field])}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return UNKNOWN;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
