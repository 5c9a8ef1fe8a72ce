import { Tabs } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { Page, Query, Section } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { Administrators } from './Administrators.tsx';
import { EmployeeList } from './EmployeeList.tsx';
import { EnterpriseAssets } from './EnterpriseAssets.tsx';
import { EnterpriseCustomers } from './EnterpriseCustomers.tsx';
import { EnterpriseFields } from './EnterpriseFields.tsx';
import { EnterpriseRecord } from './EnterpriseRecord.tsx';
import type { EnterprisePart } from './enterprise-part.ts';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises/$enterpriseGlobalId');
const TABS = ['customers', 'assets', 'employees', 'record'] as const;

/** All about an enterprise: its customers and assets, its employees, what was changed, and who administrates it. */
export function EnterprisePage() {
  const words = useWords(enterprisesWords);
  const { enterpriseGlobalId } = route.useParams();
  const { tab, text, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const enterprise = useOperation('getEnterprise', { params: { enterpriseGlobalId } });
  const chosen = TABS.find((each) => each === tab) ?? TABS[0];
  const part: EnterprisePart = {
    enterpriseGlobalId,
    cursor,
    onCursor: (next) => void navigate({ search: { tab, text, cursor: next } }),
  };
  return (
    <Page
      title={enterprise.data?.name ?? words.enterprise}
      crumbs={[
        <Link key="enterprises" to="/enterprises">
          {words.enterprises}
        </Link>,
      ]}
    >
      <Query of={enterprise}>
        {(data) => (
          <>
            <Section title={words.enterprise}>
              <EnterpriseFields enterprise={data} />
            </Section>
            <Administrators enterpriseGlobalId={enterpriseGlobalId} administrators={data.administrators} />
            <Tabs
              value={chosen}
              keepMounted={false}
              onChange={(next) => void navigate({ search: { tab: next ?? undefined } })}
            >
              <Tabs.List>
                {TABS.map((each) => (
                  <Tabs.Tab key={each} value={each}>
                    {words[each]}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="customers" pt="md">
                <EnterpriseCustomers {...part} />
              </Tabs.Panel>
              <Tabs.Panel value="assets" pt="md">
                <EnterpriseAssets {...part} />
              </Tabs.Panel>
              <Tabs.Panel value="employees" pt="md">
                <EmployeeList
                  {...part}
                  text={text}
                  onText={(next) => void navigate({ search: { tab: 'employees', text: next } })}
                />
              </Tabs.Panel>
              <Tabs.Panel value="record" pt="md">
                <EnterpriseRecord {...part} />
              </Tabs.Panel>
            </Tabs>
          </>
        )}
      </Query>
    </Page>
  );
}
