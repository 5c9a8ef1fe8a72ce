import type { ConsoleData } from '@lockstep/contract/console';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton, OneTimeSecret, wordsOf } from '../../kit/dialogs.tsx';
import { AddressTabs, TextField } from '../../kit/inputs.tsx';
import { Page, Query, Section } from '../../kit/page.tsx';
import { announce, Badge, Empty } from '../../kit/signs.tsx';
import { type Column, DataTable, List } from '../../kit/table.tsx';
import { CopyId, Count, Fields, Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { useAssetTable } from '../assets/Assets.tsx';
import { pageOf } from '../links.tsx';
import { useCustomerTable } from './Enterprises.tsx';
import { EmployeeList, EnterpriseAuditLog } from './EnterpriseTabs.tsx';
import { HoldingList, SeatTables } from './Holdings.tsx';
import { enterprisesWords } from './words.ts';

const route = getRouteApi('/enterprises/$enterpriseGlobalId');

/** One enterprise: administrators, customers, assets, seats, employees, who had what, and audit log. */
export function EnterprisePage() {
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
                { name: 'seats', label: words.seats, content: <SeatTables {...part} /> },
                { name: 'employees', label: words.employees, content: <EmployeeList {...part} /> },
                { name: 'holdings', label: words.holdings, content: <HoldingList {...part} /> },
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
  return (
    <List
      label={words.customers}
      operation="listCustomers"
      call={{ query: { enterpriseGlobalId } }}
      rows={({ customers }) => customers}
      {...useCustomerTable({ withEnterprise: false })}
      none={[words.noCustomers, words.noCustomersAdvice]}
    />
  );
}

function Assets({ enterpriseGlobalId }: Part) {
  const words = useWords(enterprisesWords);
  return (
    <List
      label={words.assets}
      operation="listAssets"
      call={{ query: { enterpriseGlobalId } }}
      rows={({ assets }) => assets}
      {...useAssetTable()}
      none={[words.noAssets, words.noAssetsAdvice]}
    />
  );
}

/** The fields of an enterprise. */
function EnterpriseFields({ enterprise }: { enterprise: ConsoleData<'getEnterprise'> }) {
  const words = useWords(enterprisesWords);
  const { enterpriseGlobalId, code, crmCustomerId, createdBy } = enterprise;
  return (
    <Fields
      fields={[
        { label: words.id, value: <CopyId id={enterpriseGlobalId} what={`${words.id} ${enterpriseGlobalId}`} /> },
        { label: words.code, value: <CopyId id={code} what={`${words.code} ${code}`} /> },
        { label: words.crmCustomerId, value: crmCustomerId && <CopyId id={crmCustomerId} /> },
        { label: words.securityMobile, value: enterprise.securityMobile },
        { label: words.createdTime, value: <Time timeMs={enterprise.createdTime} isExact /> },
        {
          label: words.madeBy,
          value:
            createdBy === null ? undefined : <Link {...pageOf.application(createdBy.appKey)}>{createdBy.name}</Link>,
        },
        { label: words.counts, value: <Count value={enterprise.customerCount} /> },
        { label: words.employeeCount, value: <Count value={enterprise.employeeCount} /> },
      ]}
    />
  );
}

/** Sets the security mobile number of an enterprise. */
function SecurityMobile({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const words = useWords(enterprisesWords);
  const [mobile, setMobile] = useState('');
  const securityMobile = mobile.trim();
  return (
    <ConfirmButton
      operation="setSecurityMobile"
      call={{ params: { enterpriseGlobalId }, body: { securityMobile } }}
      {...wordsOf(words, 'setMobile')}
      canConfirm={securityMobile !== ''}
    >
      <p>{words.setMobileSays}</p>
      <TextField label={words.newMobile} type="tel" value={mobile} onChange={setMobile} required />
    </ConfirmButton>
  );
}

type Administrator = ConsoleData<'getEnterprise'>['administrators'][number];
type Login = ConsoleData<'createFirstAdministrator'>;

/** The administrators of an enterprise, whose passwords an operator can set. */
function Administrators({ enterpriseGlobalId, administrators }: Part & { administrators: readonly Administrator[] }) {
  const words = useWords(enterprisesWords);
  const mayCall = useMayCall();
  const [login, setLogin] = useState<Login>();
  const columns: Column<Administrator>[] = [
    { header: words.account, cell: ({ account }) => <CopyId id={account} /> },
    { header: words.fieldName, cell: ({ name }) => name },
    {
      header: words.password,
      cell: ({ hasPassword }) => (
        <Badge tone={hasPassword ? 'good' : 'warn'}>{hasPassword ? words.set : words.never}</Badge>
      ),
    },
  ];
  const reset: Column<Administrator> = {
    header: words.actions,
    cell: ({ memberGlobalId, account }) => (
      <ConfirmButton
        operation="resetAdministratorPassword"
        call={{ params: { enterpriseGlobalId, memberGlobalId } }}
        label={words.reset}
        title={words.resetTitle(account)}
        isDangerous
        onDone={setLogin}
      >
        <p>{words.resetAdvice}</p>
      </ConfirmButton>
    ),
  };
  return (
    <Section title={words.administrators}>
      <DataTable
        label={words.administratorList}
        columns={mayCall('resetAdministratorPassword') ? [...columns, reset] : columns}
        rows={administrators}
        rowKey={({ memberGlobalId }) => memberGlobalId}
        empty={
          <Empty title={words.noAdministrator}>
            <p>{words.noAdministratorAdvice}</p>
            <ConfirmButton
              operation="createFirstAdministrator"
              call={{ params: { enterpriseGlobalId } }}
              label={words.create}
              title={words.createTitle}
              onDone={setLogin}
            >
              <p>{words.createAdvice}</p>
            </ConfirmButton>
          </Empty>
        }
      />
      {login !== undefined && (
        <OneTimeSecret
          title={words.newLogin}
          secrets={{ [words.account]: login.account, [words.password]: login.password }}
          onClose={() => {
            setLogin(undefined);
            announce('good', words.created(login.account));
          }}
        />
      )}
    </Section>
  );
}
