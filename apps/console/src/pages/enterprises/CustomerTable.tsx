import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Badge, type Column, CopyId, DataTable, type TableProps, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { OrdersLink } from './OrdersLink.tsx';
import { EnterpriseLink } from './OwnerLink.tsx';
import { enterprisesWords } from './words.ts';

type Customer = ConsoleData<'listCustomers'>['customers'][number];

/** Customers in rows, with links to what they have and what they ordered; the enterprise is left out on its own page. */
export function CustomerTable({ withEnterprise, ...props }: TableProps<Customer> & { withEnterprise: boolean }) {
  const words = useWords(enterprisesWords);
  const columns = useMemo((): Column<Customer>[] => {
    const enterprise = {
      id: 'enterprise',
      header: words.enterprise,
      cell: (row: Customer) => <EnterpriseLink owner={row} />,
      width: '10rem',
    };
    const branch = { id: 'branch', header: words.branch, cell: (row: Customer) => row.branchName, isMinor: true };
    const address = {
      id: 'address',
      header: words.address,
      cell: (row: Customer) => row.address ?? '–',
      isMinor: true,
    };
    return [
      {
        id: 'name',
        header: words.name,
        cell: ({ customerName, isDefault }) => (
          <>
            {customerName} {isDefault && <Badge tone="good">{words.isDefault}</Badge>}
          </>
        ),
      },
      { id: 'id', header: words.id, cell: ({ customerId }) => <CopyId id={customerId} />, width: '7rem' },
      { id: 'channel', header: words.channel, cell: ({ channelCode }) => channelCode },
      { id: 'number', header: words.number, cell: ({ channelCustomerId }) => <CopyId id={channelCustomerId} /> },
      ...(withEnterprise ? [enterprise] : []),
      {
        id: 'links',
        header: `${words.assets} · ${words.orders}`,
        cell: ({ customerId }) => (
          <>
            <Link to="/assets" search={{ customerId }}>
              {words.assets}
            </Link>
            {' · '}
            <OrdersLink filters={{ customerId }}>{words.orders}</OrdersLink>
          </>
        ),
      },
      ...(withEnterprise ? [] : [branch, address]),
      { id: 'made', header: words.made, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    ];
  }, [words, withEnterprise]);
  return <DataTable columns={columns} rowKey={({ customerId }) => customerId} {...props} />;
}
