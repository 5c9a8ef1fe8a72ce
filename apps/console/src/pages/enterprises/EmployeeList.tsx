import type { ConsoleData } from '@lockstep/contract/console';
import { Stack } from '@mantine/core';
import { useOperation } from '../../api/index.ts';
import { Badge, type Column, CopyId, DataTable, Filters, NoRows, Query, Time, useAddress } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink } from '../assets/AssetLink.tsx';
import { enterprisesWords } from './words.ts';

type Employee = ConsoleData<'listEmployees'>['employees'][number];

/** The employees of an enterprise with their assigned assets. */
export function EmployeeList({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const words = useWords(enterprisesWords);
  const [{ text, cursor }] = useAddress();
  const call = { params: { enterpriseGlobalId }, query: { text, cursor } };
  const found = useOperation('listEmployees', call, { keepsPrevious: true });
  const columns: Column<Employee>[] = [
    {
      header: words.employee,
      cell: ({ name, isAdministrator }) => (
        <>
          {name} {isAdministrator && <Badge tone="busy">{words.administrator}</Badge>}
        </>
      ),
    },
    { header: words.account, cell: ({ account }) => <CopyId id={account} /> },
    { header: words.holds, cell: (employee) => <Held employee={employee} /> },
    { header: words.id, cell: ({ memberGlobalId }) => <CopyId id={memberGlobalId} />, isMinor: true },
    { header: words.department, cell: (row) => row.departmentId ?? '–', isMinor: true },
    { header: words.mobile, cell: ({ passwordMobile }) => passwordMobile ?? '–', isMinor: true },
    { header: words.remark, cell: ({ remark }) => remark ?? '–', isMinor: true },
    { header: words.added, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
  ];
  return (
    <Stack>
      <Filters fields={[{ name: 'text', label: words.keyword, kind: 'text' }]} />
      <Query of={found}>
        {({ employees, nextCursor }) => (
          <DataTable
            label={words.employees}
            columns={columns}
            rows={employees}
            rowKey={({ memberGlobalId }) => memberGlobalId}
            isStale={found.isPlaceholderData}
            empty={<NoRows title={words.noEmployees}>{words.noEmployeesAdvice}</NoRows>}
            nextCursor={nextCursor}
          />
        )}
      </Query>
    </Stack>
  );
}

function Held({ employee: { held, heldCount } }: { employee: Employee }) {
  const words = useWords(enterprisesWords);
  const write = useNumberFormat();
  if (heldCount === 0) return words.holdsNothing;
  return (
    <>
      {held.map(({ assetNum, lentInto }) => (
        <div key={assetNum}>
          <AssetLink assetNum={assetNum} />
          {lentInto !== null && <> {words.inLock(lentInto)}</>}
        </div>
      ))}
      {heldCount > held.length && <div>{words.more(write(heldCount - held.length))}</div>}
    </>
  );
}
