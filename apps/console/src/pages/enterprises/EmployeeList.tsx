import type { ConsoleData } from '@lockstep/contract/console';
import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import { useOperation } from '../../api/index.ts';
import { Badge, type Column, CopyId, DataTable, Empty, Filters, NothingMatches, Query, Time } from '../../kit/index.ts';
import { useNumberFormat } from '../../words/formats.ts';
import { useWords } from '../../words/words.ts';
import { AssetLink } from '../assets/AssetLink.tsx';
import type { EnterprisePart } from './enterprise-part.ts';
import { enterprisesWords } from './words.ts';

type Employee = ConsoleData<'listEmployees'>['employees'][number];

/** The employees of an enterprise, with what they hold. */
export function EmployeeList({
  enterpriseGlobalId,
  cursor,
  onCursor,
  text,
  onText,
}: EnterprisePart & { text: string | undefined; onText: (text: string | undefined) => void }) {
  const words = useWords(enterprisesWords);
  const call = { params: { enterpriseGlobalId }, query: { text, cursor } };
  const found = useOperation('listEmployees', call, { keepsPrevious: true });
  const columns = useMemo(
    (): Column<Employee>[] => [
      {
        id: 'name',
        header: words.employee,
        cell: ({ name, isAdministrator }) => (
          <>
            {name} {isAdministrator && <Badge tone="busy">{words.administrator}</Badge>}
          </>
        ),
      },
      { id: 'account', header: words.account, cell: ({ account }) => <CopyId id={account} /> },
      { id: 'holds', header: words.holds, cell: (employee) => <Held employee={employee} /> },
      { id: 'id', header: words.id, cell: ({ memberGlobalId }) => <CopyId id={memberGlobalId} />, isMinor: true },
      { id: 'department', header: words.department, cell: (row) => row.departmentId ?? '–', isMinor: true },
      { id: 'mobile', header: words.mobile, cell: ({ passwordMobile }) => passwordMobile ?? '–', isMinor: true },
      { id: 'remark', header: words.remark, cell: ({ remark }) => remark ?? '–', isMinor: true },
      { id: 'added', header: words.added, cell: ({ createdTime }) => <Time timeMs={createdTime} />, isMinor: true },
    ],
    [words],
  );
  return (
    <Stack>
      <Filters
        fields={[{ name: 'text', label: words.keyword, kind: 'text' }]}
        value={{ text }}
        onChange={(next) => onText(next.text)}
      />
      <Query of={found}>
        {({ employees, nextCursor }) => (
          <DataTable
            label={words.employees}
            columns={columns}
            rows={employees}
            rowKey={({ memberGlobalId }) => memberGlobalId}
            isStale={found.isPlaceholderData}
            empty={
              text === undefined ? (
                <Empty title={words.noEmployees}>{words.noEmployeesAdvice}</Empty>
              ) : (
                <NothingMatches />
              )
            }
            paging={{ cursor, nextCursor, onCursor }}
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
