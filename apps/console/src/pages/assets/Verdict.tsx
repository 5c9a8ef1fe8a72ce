import type { ConsoleData } from '@lockstep/contract/console';
import { Fragment, type ReactNode } from 'react';
import { Badge, Notice, type Tone } from '../../kit/signs.tsx';
import { Time } from '../../kit/values.tsx';
import { AssetLink, OrderLink } from '../links.tsx';
import { endWords, reasonWords, assetsWords as words } from './words.ts';

type Verdict = ConsoleData<'listAssets'>['assets'][number]['verdict'];
type Reason = Verdict['reasons'][number];

const TONES: Record<Reason['reason'], Tone> = {
  revoked: 'neutral',
  locked: 'bad',
  frozen: 'warn',
  not_yet: 'warn',
  expired: 'bad',
  lent: 'busy',
  unassigned: 'neutral',
  empty: 'neutral',
};

/** The reasons why an asset can't be used, as badges; `children` if there are none. */
export function VerdictMarks({ verdict: { reasons }, children = null }: { verdict: Verdict; children?: ReactNode }) {
  if (reasons.length === 0) return children;
  return reasons.map(({ reason }) => (
    <Badge key={reason} tone={TONES[reason]}>
      {reasonWords[reason]}
    </Badge>
  ));
}

type Asset = NonNullable<ConsoleData<'getAsset'>['active']>;
type Instances = ConsoleData<'getAssetContents'>['instances'];

/** A sentence: until when the active asset can be used, or why it can't be used now. */
export function VerdictNotice({ asset, instances }: { asset: Asset; instances: Instances | undefined }) {
  const { usable, reasons } = asset.verdict;
  const end = usable ? findEnd(asset, instances) : undefined;
  const time = end && <Time timeMs={end} isExact />;
  const why = reasons.map((reason, index) => (
    <Fragment key={reason.reason}>
      {index > 0 && words.comma}
      <ReasonText reason={reason} />
    </Fragment>
  ));
  const [before, after] = !usable
    ? [`${words.notUsable}${words.colon}`, why]
    : [end === null ? words.usableForever : end === undefined ? words.usable : `${words.usableUntil} `, time];
  return (
    <Notice
      tone={usable ? 'good' : 'warn'}
      title={
        <>
          {before}
          {after}
        </>
      }
    />
  );
}

/** Returns when an asset that can be used ends, or the last product on it; null for never; undefined if unknown. */
function findEnd({ limitEndDate, borrowedUsbKey }: Asset, instances: Instances | undefined) {
  const products = instances?.filter((each) => each.kind === 'product') ?? [];
  const inForce = products.filter(({ validity }) => validity === 'active');
  // Products lent into a lock, or yet to start, may last longer.
  if (borrowedUsbKey || inForce.length === 0 || products.some(({ validity }) => validity === 'future'))
    return undefined;
  const last = Math.max(...inForce.map((product) => product.limitEndDate ?? Number.POSITIVE_INFINITY));
  const end = Math.min(last, limitEndDate ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(end) ? end : null;
}

/** A reason why an asset can't be used, within a sentence: what, when and by whom. */
function ReasonText({ reason: of }: { reason: Partial<Reason> & Pick<Reason, 'reason'> }) {
  const names = { ...reasonWords, not_yet: words.begins };
  const { licenseOrderId, operatorIdentity, lockAssetNum } = of;
  const [name, link] = lockAssetNum
    ? [words.lentInto, <AssetLink key="lock" assetNum={lockAssetNum} />]
    : licenseOrderId
      ? [words.revokedBy, <OrderLink key="order" orderId={licenseOrderId} />]
      : [names[of.reason], null];
  const timeMs = of.since ?? of.until;
  const time = timeMs && <Time timeMs={timeMs} />;
  return (
    <>
      {name.toLowerCase()}
      {link && <> {link}</>}
      {time && (
        <>
          {words.at}
          {time}
        </>
      )}
      {operatorIdentity && ` ${words.aside(operatorIdentity)}`}
    </>
  );
}

/** What ended a holding, where the order or the administrator does not say it. */
export function EndCause({ of }: { of: NonNullable<ConsoleData<'listHoldings'>['holdings'][number]['endCause']> }) {
  return of === 'lock' || of === 'employee_deleted' ? endWords[of] : null;
}
