import { Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Empty, Filters, NoRows, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { CustomerTable } from './CustomerTable.tsx';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises');

/** Customers that match a text exactly, or whose name starts with it. */
export function CustomerSearch() {
  const words = useWords(enterprisesWords);
  const { text, channelCode, cursor } = route.useSearch();
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
