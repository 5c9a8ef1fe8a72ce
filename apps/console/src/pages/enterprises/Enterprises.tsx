import type { ConsoleData } from '@lockstep/contract/console';
import { Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import {
  AddressTabs,
  Badge,
  type Column,
  CopyId,
  DataTable,
  Empty,
  Filters,
  NoRows,
  Page,
  Query,
  Section,
  type TableProps,
  Time,
} from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { EnterpriseLink } from '../links.tsx';
import { enterprisesWords } from './words.ts';

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

const route = getRouteApi('/enterprises');

/** Enterprises that match a text exactly, or whose name starts with it. */
function EnterpriseSearch() {
  const words = useWords(enterprisesWords);
  const { text, cursor } = route.useSearch();
  const found = useOperation('listEnterprises', { query: { text, cursor } }, { keepsPrevious: true });
  const isStale = found.isPlaceholderData;
  return (
    <Stack>
      <Filters fields={[{ name: 'text', label: words.enterpriseText, kind: 'text' }]} />
      <Query of={found}>
        {({ exact, enterprises, nextCursor }) => (
          <>
            {exact.length > 0 && (
              <Section title={words.exact}>
                <EnterpriseTable label={words.exactList} rows={exact} isStale={isStale} />
              </Section>
            )}
            {(enterprises.length > 0 || exact.length === 0) && (
              <EnterpriseTable
                label={text === undefined ? words.enterprises : words.byName}
                rows={enterprises}
                isStale={isStale}
                empty={
                  text === undefined ? (
                    <Empty title={words.noEnterprises}>{words.noEnterprisesAdvice}</Empty>
                  ) : (
                    <Empty title={words.noSuchEnterprise(text)}>
                      <Link to="/enterprises" search={{ list: 'customers', text }}>
                        {words.lookAmongCustomers}
                      </Link>
                    </Empty>
                  )
                }
                nextCursor={nextCursor}
              />
            )}
          </>
        )}
      </Query>
    </Stack>
  );
}

type Enterprise = ConsoleData<'listEnterprises'>['enterprises'][number];

/** A table of enterprises. */
function EnterpriseTable(props: TableProps<Enterprise>) {
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

const customersRoute = getRouteApi('/enterprises');

/** Customers that match a text exactly, or whose name starts with it. */
function CustomerSearch() {
  const words = useWords(enterprisesWords);
  const { text, channelCode, cursor } = customersRoute.useSearch();
  const found = useOperation('listCustomers', { query: { text, channelCode, cursor } }, { keepsPrevious: true });
  const isStale = found.isPlaceholderData;
  return (
    <Stack>
      <Filters
        fields={[
          { name: 'text', label: words.customerText, kind: 'text' },
          { name: 'channelCode', label: words.channel, kind: 'text' },
        ]}
      />
      <Query of={found}>
        {({ exact, customers, nextCursor }) => (
          <>
            {exact.length > 0 && (
              <Section title={words.exact}>
                <CustomerTable label={words.exactList} rows={exact} isStale={isStale} withEnterprise />
              </Section>
            )}
            {(customers.length > 0 || exact.length === 0) && (
              <CustomerTable
                label={text === undefined ? words.customers : words.byName}
                rows={customers}
                isStale={isStale}
                withEnterprise
                empty={<NoCustomers text={text} />}
                nextCursor={nextCursor}
              />
            )}
          </>
        )}
      </Query>
    </Stack>
  );
}

/** The empty state. */
function NoCustomers({ text }: { text: string | undefined }) {
  const words = useWords(enterprisesWords);
  if (text !== undefined) {
    return (
      <Empty title={words.noSuchCustomer(text)}>
        <Link to="/enterprises" search={{ text }}>
          {words.lookAmongEnterprises}
        </Link>
      </Empty>
    );
  }
  return <NoRows title={words.noCustomers}>{words.noCustomersAdvice}</NoRows>;
}

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
