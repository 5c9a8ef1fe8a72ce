import type { ConsoleData, ConsoleOrder } from '@lockstep/contract/console';
import { CONTACT_FIELDS } from '@lockstep/contract/words';
import { Link, useParams } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import type { FilterField } from '../../kit/filters.tsx';
import { AddressTabs } from '../../kit/inputs.tsx';
import { Page } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/signs.tsx';
import { type Column, List } from '../../kit/table.tsx';
import { CopyId, Fields, Time } from '../../kit/values.tsx';
import { AssetsOf } from '../assets/Assets.tsx';
import { PauseOf } from '../channels/Channels.tsx';
import { EnterpriseLink, OrderLink, pageOf } from '../links.tsx';
import { orderTable } from '../orders/Orders.tsx';
import { ordersWords } from '../orders/words.ts';
import { enterprisesWords as words } from './words.ts';

type Customer = ConsoleData<'listCustomers'>['customers'][number];

/** Finds customers by part of their name or number. */
export function CustomersPage() {
  return (
    <Page title={words.customers} lead={words.customersLead}>
      <CustomerList />
    </Page>
  );
}

/** Customers with filters; or those of an enterprise, whose own page doesn't name it in each row. */
export function CustomerList({ enterpriseGlobalId }: { enterpriseGlobalId?: string }) {
  const filters: FilterField[] = [
    { name: 'text', label: words.customerText, kind: 'text' },
    { name: 'channelCode', label: words.channel, kind: 'text' },
  ];
  const columns: Column<Customer>[] = [
    {
      header: words.name,
      cell: ({ customerId, customerName, isDefault }) => (
        <>
          <Link {...pageOf.customer(customerId)}>{customerName}</Link>{' '}
          {isDefault && <Badge tone="good">{words.isDefault}</Badge>}
        </>
      ),
    },
    { header: words.enterprise, isHidden: !!enterpriseGlobalId, cell: (row) => <EnterpriseLink owner={row} /> },
    { header: words.channel, cell: ({ channelCode }) => channelCode },
    { header: words.number, cell: ({ channelCustomerId }) => <CopyId id={channelCustomerId} /> },
    { header: words.id, cell: ({ customerId }) => <CopyId id={customerId} /> },
    { header: words.branch, isMinor: true, cell: ({ branchName }) => branchName },
    { header: words.createdTime, isMinor: true, cell: ({ createdTime }) => <Time timeMs={createdTime} /> },
  ];
  return (
    <List
      label={words.customers}
      operation="listCustomers"
      call={{ query: { enterpriseGlobalId } }}
      filters={enterpriseGlobalId === undefined ? filters : []}
      columns={columns}
      rowKey={({ customerId }) => customerId}
      none={[words.noCustomers, words.noCustomersAdvice]}
    />
  );
}

/** One customer: ids, contact, assets and orders. */
export function CustomerPage() {
  const { customerId } = useParams({ from: '/customers/$customerId' });
  const found = useOperation('listCustomers', { query: { customerId } });
  return (
    <Page
      title={found.data?.customers[0]?.customerName ?? words.customer}
      crumbs={[{ text: words.customers, to: '/customers' }]}
      of={found}
    >
      {({ customers: [customer] }) =>
        customer === undefined ? (
          <Empty title={words.noSuchCustomer(customerId)} />
        ) : (
          <>
            <PauseOf channelCode={customer.channelCode} />
            <CustomerFields customer={customer} />
            <AddressTabs
              of="tab"
              parts={[
                { name: 'assets', label: words.assets, content: <AssetsOf owner={{ customerId }} /> },
                { name: 'orders', label: words.orders, content: <Orders customerId={customerId} /> },
              ]}
            />
          </>
        )
      }
    </Page>
  );
}

function CustomerFields({ customer }: { customer: Customer }) {
  const { customerId, channelCode, channelCustomerId, contact } = customer;
  return (
    <Fields
      fields={{
        [words.enterprise]: <EnterpriseLink owner={customer} />,
        [words.channel]: <Link {...pageOf.channel(channelCode)}>{channelCode}</Link>,
        [words.number]: <CopyId id={channelCustomerId} />,
        [words.id]: <CopyId id={customerId} what={`${words.id} ${customerId}`} />,
        [words.branch]: customer.branchName,
        [words.address]: customer.address,
        [words.contact]: contact && [...new Set(CONTACT_FIELDS.map((of) => contact[of]))].join(' · '),
        [words.contactOrder]: contact && <OrderLink orderId={contact.licenseOrderId} />,
        [words.createdTime]: <Time timeMs={customer.createdTime} isExact />,
      }}
    />
  );
}

function Orders({ customerId }: { customerId: string }) {
  const { columns, ...table } = orderTable((order: ConsoleOrder) => order);
  return (
    <List
      label={ordersWords.orders}
      operation="listAllOrders"
      call={{ query: { customerId } }}
      columns={columns.filter(({ header }) => ![ordersWords.sequence, ordersWords.customer].includes(header))}
      {...table}
      none={[ordersWords.noOrders, ordersWords.noOrdersAdvice]}
    />
  );
}
