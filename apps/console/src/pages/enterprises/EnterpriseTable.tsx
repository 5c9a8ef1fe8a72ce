import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Column, CopyId, DataTable, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

type Enterprise = ConsoleData<'listEnterprises'>['enterprises'][number];

/** Enterprises in rows. */
export function EnterpriseTable(props: TableProps<Enterprise>) {
  const words = useWords(enterprisesWords);
  const columns = useMemo(
    (): Column<Enterprise>[] => [
      {
        id: 'name',
        header: words.name,
        cell: ({ enterpriseGlobalId, name }) => (
          <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }}>
            {name}
          </Link>
        ),
      },
      { id: 'code', header: words.code, cell: ({ code }) => <CopyId id={code} /> },
      { id: 'id', header: words.id, cell: ({ enterpriseGlobalId }) => <CopyId id={enterpriseGlobalId} /> },
      { id: 'crm', header: words.crmCustomerId, cell: (row) => <CrmNumber {...row} />, isMinor: true },
      { id: 'made', header: words.made, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    ],
    [words],
  );
  return <DataTable columns={columns} rowKey={({ enterpriseGlobalId }) => enterpriseGlobalId} {...props} />;
}

function CrmNumber({ crmCustomerId }: Pick<Enterprise, 'crmCustomerId'>) {
  return crmCustomerId === null ? '–' : <CopyId id={crmCustomerId} />;
}
