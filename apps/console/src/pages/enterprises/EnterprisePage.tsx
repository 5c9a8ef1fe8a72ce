import type { ConsoleData } from '@lockstep/contract/console';
import { Stack } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayCall, useOperation } from '../../api/operations.ts';
import { ConfirmButton, OneTimeSecret, wordsOf } from '../../kit/dialogs.tsx';
import { AddressTabs, TextField } from '../../kit/inputs.tsx';
import { Page, Query, Section } from '../../kit/page.tsx';
import { announce, Badge, Notice } from '../../kit/signs.tsx';
import { type Column, DataTable, List } from '../../kit/table.tsx';
import { CopyId, Count, Fields, Figure, Figures, Time } from '../../kit/values.tsx';
import { AssetsOf } from '../assets/Assets.tsx';
import { pageOf } from '../links.tsx';
import { CustomerList } from './Customers.tsx';
import { EmployeeList, EnterpriseAuditLog, HoldingList, SeatTables } from './EnterpriseTabs.tsx';
import { enterprisesWords as words } from './words.ts';

/** Finds enterprises by part of their name or number. */
export function EnterprisesPage() {
  const columns: Column<ConsoleData<'listEnterprises'>['enterprises'][number]>[] = [
    { header: words.name, cell: (row) => <Link {...pageOf.enterprise(row.enterpriseGlobalId)}>{row.name}</Link> },
    { header: words.code, cell: ({ code }) => <CopyId id={code} /> },
    { header: words.id, cell: ({ enterpriseGlobalId }) => <CopyId id={enterpriseGlobalId} /> },
    { header: words.crmCustomerId, cell: ({ crmCustomerId: id }) => (id ? <CopyId id={id} /> : '–'), isMinor: true },
    { header: words.createdTime, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  return (
    <Page title={words.enterprises} lead={words.lead}>
      <List
        label={words.enterprises}
        operation="listEnterprises"
        filters={[{ name: 'text', label: words.enterpriseText, kind: 'text' }]}
        columns={columns}
        rowKey={({ enterpriseGlobalId }) => enterpriseGlobalId}
        none={[words.noEnterprises, words.noEnterprisesAdvice]}
      />
    </Page>
  );
}

/** One enterprise: its seats, assets, customers, employees, who had what, audit log, ids and administrators. */
export function EnterprisePage() {
  const part = useParams({ from: '/enterprises/$enterpriseGlobalId' });
  const enterprise = useOperation('getEnterprise', { params: part });
  const [login, setLogin] = useState<Login>();
  return (
    <Page title={enterprise.data?.name ?? words.enterprise} crumbs={[{ text: words.enterprises, to: '/enterprises' }]}>
      <Query of={enterprise}>
        {(data) => (
          <>
            <Tiles enterprise={data} />
            {data.administrators.length === 0 && <NoAdministrator {...part} onLogin={setLogin} />}
            <AddressTabs
              of="tab"
              parts={[
                { name: 'assets', label: words.assets, content: <AssetsOf owner={part} /> },
                { name: 'customers', label: words.customers, content: <CustomerList {...part} /> },
                { name: 'seats', label: words.seats, content: <SeatTables {...part} /> },
                { name: 'employees', label: words.employees, content: <EmployeeList {...part} /> },
                { name: 'holdings', label: words.holdings, content: <HoldingList {...part} /> },
                { name: 'audit-log', label: words.auditLog, content: <EnterpriseAuditLog {...part} /> },
                { name: 'about', label: words.about, content: <About enterprise={data} onLogin={setLogin} /> },
              ]}
            />
          </>
        )}
      </Query>
      {login !== undefined && (
        <OneTimeSecret
          title={words.newLogin}
          secrets={{ [words.userName]: login.account, [words.password]: login.password }}
          onClose={() => {
            setLogin(undefined);
            announce('good', words.created(login.account));
          }}
        />
      )}
    </Page>
  );
}

type Enterprise = ConsoleData<'getEnterprise'>;
type Login = ConsoleData<'createFirstAdministrator'>;
interface Part {
  enterpriseGlobalId: string;
}

const SOON_MS = 30 * 86_400_000;

/** What the enterprise has, each figure linked to its list. */
function Tiles({ enterprise: { enterpriseGlobalId, customerCount } }: { enterprise: Enterprise }) {
  const { total, products } = useOperation('getSeats', { params: { enterpriseGlobalId } }).data ?? {};
  const ending = products?.reduce((sum, { endingSoon }) => sum + endingSoon, 0);
  const [now] = useState(Date.now);
  const tab = (name: string) => ({ ...pageOf.enterprise(enterpriseGlobalId), search: { tab: name } });
  const assets = (filter: object) => pageOf.assets({ enterpriseGlobalId, ...filter });
  const soon = { expiresFrom: String(now), expiresTo: String(now + SOON_MS) };
  return (
    <Figures>
      <Figure label={words.customers} value={customerCount} link={tab('customers')} />
      <Figure label={words.seats} value={total?.owned ?? '–'} link={tab('seats')} />
      <Figure label={words.assigned} value={total?.assigned ?? '–'} link={assets({ assigned: 'true' })} />
      <Figure label={words.free} value={total?.free ?? '–'} link={tab('seats')} />
      <Figure label={words.lent} value={total?.lent ?? '–'} link={assets({ reason: 'lent' })} />
      <Figure label={words.ending} value={ending ?? '–'} tone={ending ? 'warn' : 'neutral'} link={assets(soon)} />
    </Figures>
  );
}

/** The fields of an enterprise, and its administrators. */
function About({ enterprise, onLogin }: { enterprise: Enterprise; onLogin: (login: Login) => void }) {
  const { enterpriseGlobalId, code, crmCustomerId, createdBy, administrators } = enterprise;
  return (
    <Stack>
      <Section title={words.enterprise} actions={<SecurityMobile enterpriseGlobalId={enterpriseGlobalId} />}>
        <Fields
          fields={{
            [words.id]: <CopyId id={enterpriseGlobalId} what={`${words.id} ${enterpriseGlobalId}`} />,
            [words.code]: <CopyId id={code} what={`${words.code} ${code}`} />,
            [words.crmCustomerId]: crmCustomerId && <CopyId id={crmCustomerId} />,
            [words.securityMobile]: enterprise.securityMobile,
            [words.createdTime]: <Time timeMs={enterprise.createdTime} isExact />,
            [words.madeBy]: createdBy ? (
              <Link {...pageOf.application(createdBy.appKey)}>{createdBy.name}</Link>
            ) : undefined,
            [words.employeeCount]: <Count value={enterprise.employeeCount} />,
          }}
        />
      </Section>
      {administrators.length > 0 && <Administrators {...{ enterpriseGlobalId, administrators, onLogin }} />}
    </Stack>
  );
}

/** Sets the security mobile number of an enterprise. */
function SecurityMobile({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
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

type Administrator = Enterprise['administrators'][number];
type WithLogin = Part & { onLogin: (login: Login) => void };

/** Lets an operator create the first administrator. */
function NoAdministrator({ enterpriseGlobalId, onLogin }: WithLogin) {
  return (
    <Notice tone="warn" title={words.noAdministrator}>
      <p>{words.noAdministratorAdvice}</p>
      <ConfirmButton
        operation="createFirstAdministrator"
        call={{ params: { enterpriseGlobalId } }}
        label={words.create}
        title={words.createTitle}
        onDone={onLogin}
      >
        <p>{words.createAdvice}</p>
      </ConfirmButton>
    </Notice>
  );
}

/** The administrators of an enterprise, whose passwords an operator can set. */
function Administrators({
  enterpriseGlobalId,
  administrators,
  onLogin,
}: WithLogin & Pick<Enterprise, 'administrators'>) {
  const mayCall = useMayCall();
  const columns: Column<Administrator>[] = [
    { header: words.userName, cell: ({ account }) => <CopyId id={account} /> },
    { header: words.fieldName, cell: ({ name }) => name },
    {
      header: words.password,
      cell: ({ hasPassword }) => (
        <Badge tone={hasPassword ? 'good' : 'warn'}>{hasPassword ? words.set : words.never}</Badge>
      ),
    },
    {
      header: words.actions,
      isHidden: !mayCall('resetAdministratorPassword'),
      cell: ({ memberGlobalId, account }) => (
        <ConfirmButton
          operation="resetAdministratorPassword"
          call={{ params: { enterpriseGlobalId, memberGlobalId } }}
          label={words.reset}
          title={words.resetTitle(account)}
          isDangerous
          onDone={onLogin}
        >
          <p>{words.resetAdvice}</p>
        </ConfirmButton>
      ),
    },
  ];
  return (
    <Section title={words.administrators}>
      <DataTable
        label={words.administratorList}
        columns={columns}
        rows={administrators}
        rowKey={({ memberGlobalId }) => memberGlobalId}
      />
    </Section>
  );
}
