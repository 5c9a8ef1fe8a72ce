import { Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Empty, Filters, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { EnterpriseTable } from './EnterpriseTable.tsx';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises');

/** Enterprises that match a text exactly, or whose name starts with it. */
export function EnterpriseSearch() {
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
