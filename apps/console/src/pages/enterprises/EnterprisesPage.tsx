import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { CustomerSearch } from './CustomerSearch.tsx';
import { EnterpriseSearch } from './EnterpriseSearch.tsx';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises');

/** Finds enterprises and customers. */
export function EnterprisesPage() {
  const words = useWords(enterprisesWords);
  const { list, text } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = list === 'customers' ? 'customers' : 'enterprises';
  const choose = (next: string | null) =>
    void navigate({ search: { list: next === 'customers' ? next : undefined, text } });
  return (
    <Page title={words.enterprises} lead={words.lead}>
      <Tabs value={chosen} onChange={choose} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="enterprises">{words.enterprises}</Tabs.Tab>
          <Tabs.Tab value="customers">{words.customers}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="enterprises" pt="md">
          <EnterpriseSearch />
        </Tabs.Panel>
        <Tabs.Panel value="customers" pt="md">
          <CustomerSearch />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
