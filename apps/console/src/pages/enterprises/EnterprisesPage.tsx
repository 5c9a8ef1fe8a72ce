import { AddressTabs, Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { CustomerSearch } from './CustomerSearch.tsx';
import { EnterpriseSearch } from './EnterpriseSearch.tsx';
import { enterprisesWords } from './words.ts';

/** Searches enterprises and customers. */
export default function EnterprisesPage() {
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
