import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { Page } from '../../kit/page.tsx';
import { type Column, List } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { pageOf } from '../links.tsx';
import { enterprisesWords } from './words.ts';

type Enterprise = ConsoleData<'listEnterprises'>['enterprises'][number];

/** Finds enterprises by part of their name or number. */
export function EnterprisesPage() {
  const words = useWords(enterprisesWords);
  const columns: Column<Enterprise>[] = [
    { header: words.name, cell: (row) => <Link {...pageOf.enterprise(row.enterpriseGlobalId)}>{row.name}</Link> },
    { header: words.code, cell: ({ code }) => <CopyId id={code} /> },
    { header: words.id, cell: ({ enterpriseGlobalId }) => <CopyId id={enterpriseGlobalId} /> },
    { header: words.crmCustomerId, cell: ({ crmCustomerId: id }) => (id ? <CopyId id={id} /> : '–'), isMinor: true },
    { header: words.createdTime, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  return (
    <Page title={words.enterprises} lead={words.lead}>
      <List
        label={words.enterprises}
        operation="listEnterprises"
        rows={({ enterprises }) => enterprises}
        filters={[{ name: 'text', label: words.enterpriseText, kind: 'text' }]}
        columns={columns}
        rowKey={({ enterpriseGlobalId }) => enterpriseGlobalId}
        none={[words.noEnterprises, words.noEnterprisesAdvice]}
      />
    </Page>
  );
}
