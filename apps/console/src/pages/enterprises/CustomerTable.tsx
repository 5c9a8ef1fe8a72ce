import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { Badge, type Column, CopyId, DataTable, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { EnterpriseLink } from './OwnerLink.tsx';
import { enterprisesWords } from './words.ts';

type Customer = ConsoleData<'listCustomers'>['customers'][number];

/** A table of customers, linked to their assets and orders. Omits the enterprise on the enterprise's own page. */
export function CustomerTable({ withEnterprise, ...props }: TableProps<Customer> & { withEnterprise: boolean }) {
  const words = useWords(enterprisesWords);
  const enterprise: Column<Customer> = {
    header: words.enterprise,
    width: '10rem',
    cell: (row) => <EnterpriseLink owner={row} />,
  };
  const branch: Column<Customer> = { header: words.branch, isMinor: true, cell: (row) => row.branchName };
  const address: Column<Customer> = { header: words.address, isMinor: true, cell: (row) => row.address ?? '–' };
  const columns: Column<Customer>[] = [
    {
      header: words.name,
      cell: ({ customerName, isDefault }) => (
        <>
          {customerName} {isDefault && <Badge tone="good">{words.isDefault}</Badge>}
        </>
      ),
    },
    { header: words.id, width: '7rem', cell: ({ customerId }) => <CopyId id={customerId} /> },
    { header: words.channel, cell: ({ channelCode }) => channelCode },
    { header: words.number, cell: ({ channelCustomerId }) => <CopyId id={channelCustomerId} /> },
    ...(withEnterprise ? [enterprise] : []),
    {
      header: `${words.assets} · ${words.orders}`,
      width: '6.5rem',
      cell: ({ customerId }) => (
        <>
          <Link to="/assets" search={{ customerId }}>
            {words.assets}
          </Link>
          {' · '}
          <Link to="/orders" search={{ customerId }}>
            {words.orders}
          </Link>
        </>
      ),
    },
    ...(withEnterprise ? [] : [branch, address]),
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
  return <DataTable columns={columns} rowKey={({ customerId }) => customerId} {...props} />;
}
