import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { mayWriteEverything } from '../../features/session/roles.js';
import { useUser } from '../../features/session/session.js';
import { Answer } from '../../ui/Answer.js';
import { EmptyState } from '../../ui/EmptyState.js';
import { PageHeader } from '../../ui/PageHeader.js';
import { ImportForm } from './ImportForm.js';
import { ImportReport } from './ImportReport.js';
import { useImport } from './imports.js';

/** A file is chosen, sent, and followed; the address names the import, so it can be looked at again. @public */
export function ImportPage() {
  const { t } = useTranslation();
  const { id } = useSearch({ from: '/signed-in/import' });
  const navigate = useNavigate({ from: '/import' });
  const canWrite = mayWriteEverything(useUser());
  return (
    <>
      <PageHeader title={t('imports.title')} subtitle={t('imports.about')} />
      {id !== undefined ? (
        <Followed id={id} />
      ) : canWrite ? (
        <ImportForm onSent={(sent) => void navigate({ search: { id: sent } })} />
      ) : (
        <EmptyState>{t('common.error.forbidden')}</EmptyState>
      )}
    </>
  );
}

function Followed({ id }: { id: string }) {
  return (
    <Answer query={useImport(id)} height={240}>
      {(found) => <ImportReport found={found} />}
    </Answer>
  );
}
