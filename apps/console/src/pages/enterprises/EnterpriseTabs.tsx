import type { ConsoleData } from '@lockstep/contract/console';
import { Group, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMayCall, useOperation } from '../../api/operations.ts';
import { ExportButton } from '../../kit/export.tsx';
import { Query } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/signs.tsx';
import { type Column, DataTable, List } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { writeNumber } from '../../words/formats.ts';
import { EndCause, VerdictMarks } from '../assets/Verdict.tsx';
import { licenseTypeWords as typeWords } from '../assets/words.ts';
import { AssetLink, HolderLink, OrderLink, pageOf } from '../links.tsx';
import { enterprisesWords as words } from './words.ts';

type Employee = ConsoleData<'listEmployees'>['employees'][number];

/** The employees of an enterprise with their assigned assets. */
export function EmployeeList({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const columns: Column<Employee>[] = [
    {
      header: words.employee,
      cell: ({ name, memberGlobalId, isAdministrator }) => (
        <>
          <Link {...pageOf.enterprise(enterpriseGlobalId)} search={{ tab: 'holdings', memberGlobalId }}>
            {name}
          </Link>{' '}
          {isAdministrator && name !== words.administrator && <Badge tone="busy">{words.administrator}</Badge>}
        </>
      ),
    },
    { header: words.userName, cell: ({ account }) => <CopyId id={account} /> },
    { header: words.holds, cell: (employee) => <Held employee={employee} /> },
    { header: words.remark, cell: ({ remark }) => remark ?? '–', isMinor: true },
    { header: words.added, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    { header: words.departmentId, cell: (row) => row.departmentId ?? '–', isMinor: true },
    { header: words.passwordMobile, cell: ({ passwordMobile }) => passwordMobile ?? '–', isMinor: true },
    { header: words.id, cell: ({ memberGlobalId }) => <CopyId id={memberGlobalId} />, isMinor: true },
  ];
  return (
    <List
      label={words.employees}
      operation="listEmployees"
      call={{ params: { enterpriseGlobalId } }}
      filters={[{ name: 'text', label: words.keyword, kind: 'text' }]}
      columns={columns}
      rowKey={({ memberGlobalId }) => memberGlobalId}
      none={[words.noEmployees, words.noEmployeesAdvice]}
    />
  );
}

function Held({ employee: { held, heldCount } }: { employee: Employee }) {
  if (heldCount === 0) return words.none;
  return (
    <>
      {held.map(({ assetNum, lentInto, verdict }) => (
        <span key={assetNum}>
          <AssetLink assetNum={assetNum} /> <VerdictMarks verdict={verdict} />
          {lentInto !== null && <> {words.inLock(lentInto)}</>}{' '}
        </span>
      ))}
      {heldCount > held.length && words.more(heldCount - held.length)}
    </>
  );
}

type Entry = ConsoleData<'listEnterpriseAuditLog'>['entries'][number];

/** The author of a change. An operator's name is only in the operators' audit log. */
function Who({ entry: { actorAccount, targetGlobalId } }: { entry: Entry }) {
  const mayCall = useMayCall();
  if (actorAccount !== null) return actorAccount;
  if (targetGlobalId === null || !mayCall('listAuditLog')) return words.operator;
  return (
    <Link to="/audit-log" search={{ target: targetGlobalId }} title={words.seeOperators}>
      {words.operator}
    </Link>
  );
}

/** The audit log of an enterprise, newest first. */
export function EnterpriseAuditLog({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const columns: Column<Entry>[] = [
    { header: words.time, cell: ({ time }) => <Time timeMs={time} /> },
    { header: words.what, width: '8rem', cell: ({ action }) => words[action] },
    { header: words.employee, cell: ({ targetAccount, targetGlobalId }) => targetAccount ?? targetGlobalId ?? '–' },
    { header: words.detail, cell: ({ detail }) => <AuditedChange detail={detail} />, width: '20rem' },
    { header: words.changedBy, cell: (entry) => <Who entry={entry} /> },
    { header: words.requestId, cell: ({ requestId }) => <CopyId id={requestId} />, isMinor: true },
  ];
  return (
    <List
      label={words.auditLog}
      operation="listEnterpriseAuditLog"
      call={{ params: { enterpriseGlobalId } }}
      columns={columns}
      rowKey={({ id }) => id}
      none={[words.noChanges, words.noChangesAdvice]}
    />
  );
}

type Detail = ConsoleData<'listEnterpriseAuditLog'>['entries'][number]['detail'];

const FIELDS = ['userName', 'name', 'departmentId', 'remark', 'passwordMobile', 'assetNums', 'lent'] as const;
type Value = NonNullable<Detail['before']>[(typeof FIELDS)[number]];

/** A change in the member center, field by field: before → after. */
function AuditedChange({ detail: { before, after } }: { detail: Detail }) {
  const write = (value: Value): string => {
    if (!Array.isArray(value)) return String(value ?? words.nothing);
    const numbers = value.map((each) =>
      typeof each === 'string' ? each : `${each.assetNum} ${words.inLock(each.borrowedUsbKey)}`,
    );
    return numbers.join(words.comma) || words.nothing;
  };
  const changed = FIELDS.filter((field) => write(before?.[field]) !== write(after?.[field]));
  if (changed.length === 0) return '–';
  const labels = { ...words, name: words.fieldName };
  return changed
    .map((field) => {
      const from = before === null ? '' : `${write(before[field])} → `;
      return `${labels[field]}${words.colon}${from}${write(after?.[field])}`;
    })
    .join(' · ');
}

type Seats = ConsoleData<'getSeats'>;
type Counts = Seats['total'];

const COUNTS = ['owned', 'assigned', 'lent', 'free', 'expired', 'endingSoon'] as const;

/** The seats of an enterprise: by product, and by license type with their sum. */
export function SeatTables({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const call = { params: { enterpriseGlobalId } };
  const seats = useOperation('getSeats', call);
  const counts: Column<Counts>[] = COUNTS.map((name) => ({
    header: words[name],
    align: 'end',
    cell: (row) => writeNumber(row[name]),
  }));
  const product: Column<Seats['products'][number]> = {
    header: words.product,
    cell: ({ productUri, productName }) => (
      <>
        {productName} <CopyId id={productUri} />
      </>
    ),
  };
  return (
    <Query of={seats}>
      {({ products, licenseTypes, total }) => (
        <Stack>
          <p>{words.seatsLead}</p>
          <DataTable
            label={words.seatsByProduct}
            columns={[product, ...counts]}
            rows={products}
            rowKey={({ productUri }) => productUri}
            empty={<Empty title={words.noSeats}>{words.noAssetsAdvice}</Empty>}
            footer={
              products.length > 0 && (
                <Group justify="flex-end">
                  <ExportButton operation="getSeats" call={call} />
                </Group>
              )
            }
          />
          <DataTable
            label={words.seatsByType}
            columns={[{ header: words.licenseType, cell: ({ name }) => name }, ...counts]}
            rows={[
              ...licenseTypes.map((row) => ({ ...row, name: typeWords[row.licenseType] })),
              { ...total, name: words.allSeats },
            ]}
            rowKey={({ name }) => name}
            empty={null}
          />
        </Stack>
      )}
    </Query>
  );
}

type Holding = ConsoleData<'listHoldings'>['holdings'][number];

/** Who had which asset when: the assignments and loans of an enterprise, newest first. */
export function HoldingList({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const columns: Column<Holding>[] = [
    { header: words.asset, cell: ({ assetNum }) => <AssetLink assetNum={assetNum} /> },
    {
      header: words.employee,
      cell: ({ memberName: name, memberAccount: account }) => (
        <HolderLink holder={{ name, account }} enterpriseGlobalId={enterpriseGlobalId} />
      ),
    },
    {
      header: words.kind,
      width: '15rem',
      cell: ({ kind, lockAssetNum }) => (
        <>
          <Badge tone={kind === 'loan' ? 'busy' : 'good'}>{words[kind]}</Badge>{' '}
          {lockAssetNum !== null && <AssetLink assetNum={lockAssetNum} />}
        </>
      ),
    },
    { header: words.from, cell: ({ beganTime }) => <Time timeMs={beganTime} /> },
    {
      header: words.until,
      cell: ({ endedTime }) => (endedTime === null ? words.current : <Time timeMs={endedTime} />),
    },
    { header: words.endedBy, cell: (holding) => <EndedBy holding={holding} /> },
    { header: words.begunBy, cell: ({ beganByAccount }) => beganByAccount ?? words.operator, isMinor: true },
  ];
  return (
    <List
      label={words.holdings}
      operation="listHoldings"
      call={{ params: { enterpriseGlobalId } }}
      filters={[
        { name: 'memberGlobalId', label: words.employeeId, kind: 'text' },
        { name: 'assetNum', label: words.assetOrLock, kind: 'text' },
        {
          name: 'state',
          label: words.state,
          kind: 'select',
          options: { current: words.current, ended: words.ended },
        },
      ]}
      columns={columns}
      rowKey={({ holdingId }) => holdingId}
      none={[words.noHoldings, words.noHoldingsAdvice]}
    />
  );
}

function EndedBy({ holding: { endCause, endedByAccount, licenseOrderId } }: { holding: Holding }) {
  if (endCause === null) return '–';
  return (
    <>
      {licenseOrderId === null ? (endedByAccount ?? words.operator) : <OrderLink orderId={licenseOrderId} />}{' '}
      <EndCause of={endCause} />
    </>
  );
}
