import { useOperation } from '../../api/index.ts';
import { Empty, Query } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { CustomerTable } from './CustomerTable.tsx';
import type { EnterprisePart } from './enterprise-part.ts';
import { enterprisesWords } from './words.ts';

/** The customers of an enterprise. */
export function EnterpriseCustomers({ enterpriseGlobalId, cursor, onCursor }: EnterprisePart) {
  const words = useWords(enterprisesWords);
  const found = useOperation('listCustomers', { query: { enterpriseGlobalId, cursor } }, { keepsPrevious: true });
  return (
    <Query of={found}>
      {({ customers, nextCursor }) => (
        <CustomerTable
          label={words.customers}
          rows={customers}
          isStale={found.isPlaceholderData}
          withEnterprise={false}
          empty={<Empty title={words.noCustomers}>{words.noCustomersAdvice}</Empty>}
          paging={{ cursor, nextCursor, onCursor }}
        />
      )}
    </Query>
  );
}
