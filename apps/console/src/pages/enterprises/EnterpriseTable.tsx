import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { type Column, CopyId, DataTable, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { enterprisesWords } from './words.ts';

type Enterprise = ConsoleData<'listEnterprises'>['enterprises'][number];

/** A table of enterprises. */
export function EnterpriseTable(props: TableProps<Enterprise>) {
  const words = useWords(enterprisesWords);
  const columns: Column<Enterprise>[] = [
    {
      header: words.name,
      cell: ({ enterpriseGlobalId, name }) => (
        <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }}>
          {name}
        </Link>
      ),
    },
    { header: words.code, cell: ({ code }) => <CopyId id={code} /> },
    { header: words.id, cell: ({ enterpriseGlobalId }) => <CopyId id={enterpriseGlobalId} /> },
    { header: words.crmCustomerId, cell: (row) => <CrmNumber {...row} />, isMinor: true },
    { header: words.createdTime, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  return <DataTable columns={columns} rowKey={({ enterpriseGlobalId }) => enterpriseGlobalId} {...props} />;
}

function CrmNumber({ crmCustomerId }: Pick<Enterprise, 'crmCustomerId'>) {
  return crmCustomerId === null ? '–' : <CopyId id={crmCustomerId} />;
}
