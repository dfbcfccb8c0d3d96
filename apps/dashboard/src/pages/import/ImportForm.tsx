import { Button, FileInput, Group, NativeSelect, Paper, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useDomains } from '../../features/administration/domains.js';
import { ErrorState } from '../../ui/ErrorState.js';
import { MAX_MEGABYTES, type NewImport, SOURCES, useUpload } from './imports.js';

type Options = Omit<NewImport, 'file'>;

export function ImportForm({ onSent }: { onSent: (id: string) => void }) {
  const { t } = useTranslation();
  const upload = useUpload();
  const [form, setForm] = useState<Options>({ source: 'csv', name: '', domain: '' });
  const [file, setFile] = useState<File | null>(null);
  const change = (changed: Partial<Options>) => setForm((now) => ({ ...now, ...changed }));
  const isTooLarge = file !== null && file.size > MAX_MEGABYTES * 1_024 * 1_024;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file !== null) upload.mutate({ ...form, file }, { onSuccess: ({ id }) => onSent(id) });
  };
  return (
    <Paper withBorder p="md" maw={640} component="form" onSubmit={submit}>
      <Stack>
        <NativeSelect
          label={t('imports.source')}
          description={t(`imports.hint.${form.source}`)}
          value={form.source}
          onChange={({ currentTarget }) =>
            change({ source: SOURCES.find((one) => one === currentTarget.value) ?? 'csv' })
          }
          data={SOURCES.map((source) => ({ value: source, label: t(`imports.sources.${source}`) }))}
        />
        <FileInput
          label={t('imports.file')}
          description={t('imports.fileHint', { megabytes: MAX_MEGABYTES })}
          placeholder={t('imports.choose')}
          value={file}
          onChange={setFile}
          error={isTooLarge && t('imports.tooLarge', { megabytes: MAX_MEGABYTES })}
          required
          clearable
        />
        <Destination form={form} onChange={change} />
        {upload.isError && <ErrorState error={upload.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={upload.isPending} disabled={file === null || isTooLarge}>
            {t('imports.submit')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

/** What its links are known by, and where they go. */
function Destination({ form, onChange }: { form: Options; onChange: (changed: Partial<Options>) => void }) {
  const { t } = useTranslation();
  const domains = useDomains().data?.domains.data ?? [];
  return (
    <>
      <TextInput
        label={t('imports.name')}
        description={t('imports.nameHint')}
        placeholder={form.source}
        value={form.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      {domains.length > 1 && (
        <NativeSelect
          label={t('imports.domain')}
          value={form.domain}
          onChange={({ currentTarget }) => onChange({ domain: currentTarget.value })}
          data={domains.map(({ domain, isDefault }) => ({ value: isDefault ? '' : domain, label: domain }))}
        />
      )}
    </>
  );
}
