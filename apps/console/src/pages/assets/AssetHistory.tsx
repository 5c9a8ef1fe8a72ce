import type { ConsoleData } from '@lockstep/contract/console';
import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../api/operations.ts';
import { ExportButton } from '../../kit/export.tsx';
import { useAddress } from '../../kit/inputs.tsx';
import { Section } from '../../kit/page.tsx';
import { Empty, type Tone } from '../../kit/signs.tsx';
import { Pager } from '../../kit/table.tsx';
import { CopyId, Line, Time, TimeLine } from '../../kit/values.tsx';
import { AssetLink, HolderLink, OrderLink, OwnerLink, pageOf } from '../links.tsx';
import { EndCause } from './Verdict.tsx';
import { assetsWords as words } from './words.ts';

type Entry = ConsoleData<'getAssetHistory'>['entries'][number];

/** The tones of what is not neutral. */
const TONES: { [action in Entry['action']]?: Tone } = {
  created: 'good',
  extended: 'good',
  transferred: 'busy',
  revoked: 'bad',
  product_bought: 'good',
  product_revoked: 'bad',
  merchandise_bought: 'good',
  merchandise_revoked: 'bad',
  locked: 'warn',
  frozen: 'warn',
  assigned: 'good',
  lent: 'busy',
};

/** The history of a number's assets, newest first, with the orders that caused it. */
export function AssetHistory({ assetNum }: { assetNum: string }) {
  const [{ cursor }] = useAddress();
  const history = useOperation('getAssetHistory', { params: { assetNum }, query: { cursor } }, { keepsPrevious: true });
  return (
    <Section
      title={words.history}
      actions={<ExportButton operation="getAssetHistory" call={{ params: { assetNum }, query: {} }} />}
      of={history}
    >
      {({ entries, nextCursor }) => (
        <>
          {entries.length === 0 ? (
            <Empty title={words.noHistory} />
          ) : (
            <TimeLine
              label={words.history}
              entries={entries.map((entry, index) => ({
                key: `${index} ${entry.assetId} ${entry.action} ${entry.instanceId}`,
                timeMs: entry.time,
                tone: TONES[entry.action] ?? 'neutral',
                title: <Title entry={entry} />,
                detail: <Detail entry={entry} isOfSameOrder={isOfSameOrder(entry, entries[index - 1])} />,
              }))}
            />
          )}
          <Pager nextCursor={nextCursor} shown={entries.length} />
        </>
      )}
    </Section>
  );
}

function Title({ entry: { action, instanceName, productUri } }: { entry: Entry }) {
  return (
    <>
      {words[action === 'unassigned' ? 'withdrawn' : action]}
      {instanceName !== null && `${words.colon}${instanceName}`}
      {productUri !== null && (
        <>
          {' '}
          <CopyId id={productUri} />
        </>
      )}
    </>
  );
}

/** Whether the entry above is by the same order; then only that one names the application. */
const isOfSameOrder = ({ licenseOrderId }: Entry, above: Entry | undefined) =>
  licenseOrderId !== null && licenseOrderId === above?.licenseOrderId;

/** The terms that distinguish a product or merchandise from others of the same name. */
function Terms({ entry: { limitConcurrent, limitEndDate, instanceId } }: { entry: Entry }) {
  if (instanceId === null) return null;
  return (
    <div>
      {limitConcurrent !== null &&
        (limitEndDate === null ? (
          <>{words.nodesWithoutEnd(limitConcurrent)} · </>
        ) : (
          <>
            {words.nodesUntil(limitConcurrent)} <Time timeMs={limitEndDate} isExact /> ·{' '}
          </>
        ))}
      {words.id} <CopyId id={instanceId} />
    </div>
  );
}

function Detail({ entry, isOfSameOrder }: { entry: Entry; isOfSameOrder: boolean }) {
  const { licenseOrderId, batchId, channelCode, channelOrderId, applicationName, appKey } = entry;
  const { customer, fromCustomer, operatorIdentity, member, administrator, lockAssetNum } = entry;
  return (
    <Group gap="0 var(--mantine-spacing-md)" className="small">
      <Terms entry={entry} />
      {fromCustomer !== null && <Line label={words.formerOwner} value={<OwnerLink owner={fromCustomer} />} />}
      {customer !== null && ['created', 'transferred'].includes(entry.action) && (
        <Line label={words.to} value={<OwnerLink owner={customer} />} />
      )}
      {member !== null && customer !== null && (
        <Line label={words.employee} value={<HolderLink holder={member} {...customer} />} />
      )}
      {lockAssetNum !== null && <Line label={words.lentInto} value={<AssetLink assetNum={lockAssetNum} />} />}
      {administrator !== null && <Line label={words.administrator} value={administrator.account} />}
      {entry.endCause !== null && <EndCause of={entry.endCause} />}
      {licenseOrderId !== null && (
        <div>
          {words.order} <OrderLink orderId={licenseOrderId} />
          {batchId !== null && (
            <>
              {' · '}
              {words.batch}{' '}
              <Link {...pageOf.batch(batchId)}>
                {channelCode ?? '–'} {channelOrderId ?? batchId}
              </Link>
            </>
          )}
        </div>
      )}
      {operatorIdentity !== null && <Line label={words.askedBy} value={operatorIdentity} />}
      {appKey !== null && !isOfSameOrder && (
        <Line label={words.by} value={<Link {...pageOf.application(appKey)}>{applicationName}</Link>} />
      )}
    </Group>
  );
}
