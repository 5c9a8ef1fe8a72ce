import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { useMayCall } from '../../api/operations.ts';
import { Badge } from '../../kit/signs.tsx';
import { type Column, List } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { VerdictMarks } from '../assets/Verdict.tsx';
import { AssetLink, pageOf } from '../links.tsx';
import { enterprisesWords } from './words.ts';

type Employee = ConsoleData<'listEmployees'>['employees'][number];

/** The employees of an enterprise with their assigned assets. */
export function EmployeeList({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const words = useWords(enterprisesWords);
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
      rows={({ employees }) => employees}
      filters={[{ name: 'text', label: words.keyword, kind: 'text' }]}
      columns={columns}
      rowKey={({ memberGlobalId }) => memberGlobalId}
      none={[words.noEmployees, words.noEmployeesAdvice]}
    />
  );
}

function Held({ employee: { held, heldCount } }: { employee: Employee }) {
  const words = useWords(enterprisesWords);
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
  const words = useWords(enterprisesWords);
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
  const words = useWords(enterprisesWords);
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
      rows={({ entries }) => entries}
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
  const words = useWords(enterprisesWords);
  const write = (value: Value) => writeValue(value, words) ?? words.nothing;
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

/** Formats a field's value; null if it is empty. */
function writeValue(
  value: Value,
  { inLock, comma }: { inLock: (lock: string) => string; comma: string },
): string | null {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) return String(value);
  const parts = value.map((each) =>
    typeof each === 'string' ? each : `${each.assetNum} ${inLock(each.borrowedUsbKey)}`,
  );
  return parts.length === 0 ? null : parts.join(comma);
}
