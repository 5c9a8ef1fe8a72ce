import { getRouteApi } from '@tanstack/react-router';
import { useOperation } from '../../api/index.ts';
import { AddressTabs, Empty, Page, Query, Section, useAddress } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { AssetTable } from '../assets/AssetTable.tsx';
import { Administrators } from './Administrators.tsx';
import { CustomerTable } from './CustomerTable.tsx';
import { EmployeeList } from './EmployeeList.tsx';
import { EnterpriseAuditLog } from './EnterpriseAuditLog.tsx';
import { EnterpriseFields } from './EnterpriseFields.tsx';
import { SecurityMobile } from './SecurityMobile.tsx';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises/$enterpriseGlobalId');

/** One enterprise: administrators, customers, assets, employees and audit log. */
export default function EnterprisePage() {
  const words = useWords(enterprisesWords);
  const part = route.useParams();
  const enterprise = useOperation('getEnterprise', { params: part });
  return (
    <Page title={enterprise.data?.name ?? words.enterprise} crumbs={[{ text: words.enterprises, to: '/enterprises' }]}>
      <Query of={enterprise}>
        {(data) => (
          <>
            <Section title={words.enterprise}>
              <EnterpriseFields enterprise={data} />
              <SecurityMobile {...part} />
            </Section>
            <Administrators {...part} administrators={data.administrators} />
            <AddressTabs
              of="tab"
              parts={[
                { name: 'customers', label: words.customers, content: <Customers {...part} /> },
                { name: 'assets', label: words.assets, content: <Assets {...part} /> },
                { name: 'employees', label: words.employees, content: <EmployeeList {...part} /> },
                { name: 'audit-log', label: words.auditLog, content: <EnterpriseAuditLog {...part} /> },
              ]}
            />
          </>
        )}
      </Query>
    </Page>
  );
}

interface Part {
  enterpriseGlobalId: string;
}

function Customers({ enterpriseGlobalId }: Part) {
  const words = useWords(enterprisesWords);
  const [{ cursor }] = useAddress();
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
          nextCursor={nextCursor}
        />
      )}
    </Query>
  );
}

function Assets({ enterpriseGlobalId }: Part) {
  const words = useWords(enterprisesWords);
  const [{ cursor }] = useAddress();
  const found = useOperation('listAssets', { query: { enterpriseGlobalId, cursor } }, { keepsPrevious: true });
  return (
    <Query of={found}>
      {({ assets, nextCursor }) => (
        <AssetTable
          rows={assets}
          isStale={found.isPlaceholderData}
          empty={<Empty title={words.noAssets}>{words.noAssetsAdvice}</Empty>}
          nextCursor={nextCursor}
        />
      )}
    </Query>
  );
}
