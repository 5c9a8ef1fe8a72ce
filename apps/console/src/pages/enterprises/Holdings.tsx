import type { ConsoleData } from '@lockstep/contract/console';
import { Group, Stack } from '@mantine/core';
import { useOperation } from '../../api/operations.ts';
import { ExportButton } from '../../kit/export.tsx';
import { Query } from '../../kit/page.tsx';
import { Badge, Empty } from '../../kit/signs.tsx';
import { type Column, DataTable, List } from '../../kit/table.tsx';
import { CopyId, Time } from '../../kit/values.tsx';
import { useNumberFormat, useWords } from '../../words/words.ts';
import { EndCause } from '../assets/Verdict.tsx';
import { licenseTypeWords } from '../assets/words.ts';
import { AssetLink, HolderLink, OrderLink } from '../links.tsx';
import { enterprisesWords } from './words.ts';

type Seats = ConsoleData<'getSeats'>;
type Counts = Seats['total'];

const COUNTS = ['owned', 'assigned', 'lent', 'free', 'expired', 'endingSoon'] as const;

/** The seats of an enterprise: by product, and by license type with their sum. */
export function SeatTables({ enterpriseGlobalId }: { enterpriseGlobalId: string }) {
  const words = useWords(enterprisesWords);
  const typeWords = useWords(licenseTypeWords);
  const write = useNumberFormat();
  const call = { params: { enterpriseGlobalId } };
  const seats = useOperation('getSeats', call);
  const counts: Column<Counts>[] = COUNTS.map((name) => ({
    header: words[name],
    align: 'end',
    cell: (row) => write(row[name]),
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
  const words = useWords(enterprisesWords);
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
      rows={({ holdings }) => holdings}
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
  const words = useWords(enterprisesWords);
  if (endCause === null) return '–';
  return (
    <>
      {licenseOrderId === null ? (endedByAccount ?? words.operator) : <OrderLink orderId={licenseOrderId} />}{' '}
      <EndCause of={endCause} />
    </>
  );
}
