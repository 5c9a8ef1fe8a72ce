import type { ConsoleData } from '@lockstep/contract/console';
import { CONTACT_FIELDS } from '@lockstep/contract/words';
import { Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { AddressTabs } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/signs.tsx';
import { type Column, List, type Table } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { EnterpriseLink, OrderLink, pageOf } from '../links.tsx';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises');

/** Searches enterprises and customers. */
export function EnterprisesPage() {
  const words = useWords(enterprisesWords);
  return (
    <Page title={words.enterprises} lead={words.lead}>
      <AddressTabs
        of="list"
        parts={[
          { name: 'enterprises', label: words.enterprises, content: <EnterpriseSearch /> },
          { name: 'customers', label: words.customers, content: <CustomerSearch /> },
        ]}
      />
    </Page>
  );
}

type Enterprise = ConsoleData<'listEnterprises'>['enterprises'][number];

/** Enterprises by part of their name or number. */
function EnterpriseSearch() {
  const words = useWords(enterprisesWords);
  const { text } = route.useSearch();
  const columns: Column<Enterprise>[] = [
    { header: words.name, cell: (row) => <Link {...pageOf.enterprise(row.enterpriseGlobalId)}>{row.name}</Link> },
    { header: words.code, cell: ({ code }) => <CopyId id={code} /> },
    { header: words.id, cell: ({ enterpriseGlobalId }) => <CopyId id={enterpriseGlobalId} /> },
    { header: words.crmCustomerId, cell: ({ crmCustomerId: id }) => (id ? <CopyId id={id} /> : '–'), isMinor: true },
    { header: words.createdTime, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  const table: Table<Enterprise> = { columns, rowKey: ({ enterpriseGlobalId }) => enterpriseGlobalId };
  return (
    <Stack>
      <List
        label={words.enterprises}
        operation="listEnterprises"
        rows={({ enterprises }) => enterprises}
        filters={[{ name: 'text', label: words.enterpriseText, kind: 'text' }]}
        {...table}
        none={[words.noEnterprises, words.noEnterprisesAdvice]}
        noMatches={
          <Empty title={words.noSuchEnterprise(text ?? '')}>
            <Link {...pageOf.enterprises({ list: 'customers', text: text ?? '' })}>{words.lookAmongCustomers}</Link>
          </Empty>
        }
      />
    </Stack>
  );
}

/** Customers by part of their name or number. */
function CustomerSearch() {
  const words = useWords(enterprisesWords);
  const { text } = route.useSearch();
  const table = useCustomerTable({ withEnterprise: true });
  return (
    <Stack>
      <List
        label={words.customers}
        operation="listCustomers"
        rows={({ customers }) => customers}
        filters={[
          { name: 'text', label: words.customerText, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
        ]}
        {...table}
        none={[words.noCustomers, words.noCustomersAdvice]}
        noMatches={
          text && (
            <Empty title={words.noSuchCustomer(text)}>
              <Link {...pageOf.enterprises({ text })}>{words.lookAmongEnterprises}</Link>
            </Empty>
          )
        }
      />
    </Stack>
  );
}

type Customer = ConsoleData<'listCustomers'>['customers'][number];

/** The table of customers, linked to their assets and orders. An enterprise's own page omits the enterprise. */
export function useCustomerTable({ withEnterprise }: { withEnterprise: boolean }): Table<Customer> {
  const words = useWords(enterprisesWords);
  const enterprise: Column<Customer> = {
    header: words.enterprise,
    width: '10rem',
    cell: (row) => <EnterpriseLink owner={row} />,
  };
  const branch: Column<Customer> = { header: words.branch, isMinor: true, cell: (row) => row.branchName };
  const address: Column<Customer> = { header: words.address, isMinor: true, cell: (row) => row.address ?? '–' };
  const contact: Column<Customer> = {
    header: words.contact,
    isMinor: true,
    cell: ({ contact: said }) =>
      said && (
        <>
          {[...new Set(CONTACT_FIELDS.map((field) => said[field]))].join(' · ')}{' '}
          <OrderLink orderId={said.licenseOrderId} />
        </>
      ),
  };
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
          <Link {...pageOf.assets({ customerId })}>{words.assets}</Link>
          {' · '}
          <Link {...pageOf.orders({ customerId })}>{words.orders}</Link>
        </>
      ),
    },
    ...(withEnterprise ? [] : [branch, address]),
    contact,
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
  return { columns, rowKey: ({ customerId }) => customerId };
}
