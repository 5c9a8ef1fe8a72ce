import type { ConsoleData } from '@lockstep/contract/console';
import type { ReactNode } from 'react';
import { Badge, Notice, type Tone } from '../../kit/signs.tsx';
import { Line, Time } from '../../kit/values.tsx';
import { useWords } from '../../words/words.ts';
import { AssetLink, HolderLink, OrderLink } from '../links.tsx';
import { assetsWords, endWords, reasonWords } from './words.ts';

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
  const names = useWords(reasonWords);
  if (reasons.length === 0) return children;
  return reasons.map(({ reason }) => (
    <Badge key={reason} tone={TONES[reason]}>
      {names[reason]}
    </Badge>
  ));
}

type Holder = NonNullable<ConsoleData<'getAsset'>['active']>['holder'];

/** Whether the active asset can be used now, and if not, why. */
export function VerdictNotice({
  asset: { verdict, holder, owner },
}: {
  asset: { verdict: Verdict; holder: Holder; owner: { enterpriseGlobalId: string } };
}) {
  const words = useWords(assetsWords);
  if (verdict.usable) return <Notice tone="good" title={words.usable} />;
  return (
    <Notice tone="warn" title={words.notUsable}>
      <ul>
        {verdict.reasons.map((reason) => (
          <li key={reason.reason}>
            <ReasonText reason={reason} />
            {reason.memberGlobalId !== null && holder !== null && (
              <Line label={words.holder} value={<HolderLink holder={holder} {...owner} />} />
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** A reason why an asset can't be used: what, since or until when, and by whom. */
export function ReasonText({ reason: of }: { reason: Partial<Reason> & Pick<Reason, 'reason'> }) {
  const words = useWords(assetsWords);
  const names = useWords(reasonWords);
  const { since = null, until = null, licenseOrderId, operatorIdentity, lockAssetNum } = of;
  return (
    <>
      {names[of.reason]}
      {since !== null && <Line label={words.since} value={<Time timeMs={since} />} />}
      {until !== null && <Line label={words.until} value={<Time timeMs={until} />} />}
      {licenseOrderId && <Line label={words.revokedBy} value={<OrderLink orderId={licenseOrderId} />} />}
      {operatorIdentity && <Line label={words.askedBy} value={operatorIdentity} />}
      {lockAssetNum && <Line label={words.lentInto} value={<AssetLink assetNum={lockAssetNum} />} />}
    </>
  );
}

/** What ended a holding, where the order or the administrator does not say it. */
export function EndCause({ of }: { of: NonNullable<ConsoleData<'listHoldings'>['holdings'][number]['endCause']> }) {
  const words = useWords(endWords);
  return of === 'lock' || of === 'employee_deleted' ? <div>{words[of]}</div> : null;
}
