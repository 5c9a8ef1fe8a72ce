import type { ConsoleData } from '@lockstep/contract/console';
import { Link } from '@tanstack/react-router';
import { CopyId, Fields, Time } from '../../kit/index.ts';
import { useWords } from '../../words/words.ts';
import { EnterpriseLink, OwnerLink } from '../enterprises/OwnerLink.tsx';
import { OrderLink } from '../orders/OrderLink.tsx';
import { AssetLink } from './AssetLink.tsx';
import { licenseTypeWords } from './license-types.ts';
import { assetsWords } from './words.ts';

type ActiveAsset = NonNullable<ConsoleData<'getAsset'>['active']>;

/** The fields of the active asset. */
export function AssetFields({ asset }: { asset: ActiveAsset }) {
  const words = useWords(assetsWords);
  const typeWords = useWords(licenseTypeWords);
  const { owner, holder, lentInto } = asset;
  const { enterpriseGlobalId } = owner;
  return (
    <Fields
      fields={[
        { label: words.customer, value: <OwnerLink owner={owner} withIds /> },
        { label: words.enterprise, value: <EnterpriseLink owner={owner} /> },
        {
          label: words.holder,
          value:
            holder === null ? (
              words.unassigned
            ) : (
              <>
                <Link
                  to="/enterprises/$enterpriseGlobalId"
                  params={{ enterpriseGlobalId }}
                  search={{ tab: 'employees', text: holder.account }}
                >
                  {holder.name}
                </Link>{' '}
                · {holder.account}
                <div>
                  {words.since} <Time timeMs={holder.since} />
                </div>
              </>
            ),
        },
        {
          label: words.lentInto,
          value:
            lentInto === null ? (
              words.notLent
            ) : (
              <>
                <AssetLink assetNum={lentInto.assetNum} />
                <div>
                  {words.since} <Time timeMs={lentInto.since} />
                </div>
              </>
            ),
        },
        {
          label: words.licenseType,
          value: (
            <>
              {typeWords[asset.licenseType]}
              <div>
                <code>{asset.licenseType}</code>
              </div>
            </>
          ),
        },
        { label: words.begins, value: <Time timeMs={asset.limitStartDate} withUtc /> },
        { label: words.ends, value: <Time timeMs={asset.limitEndDate} isRelative withUtc /> },
        { label: words.bought, value: <Time timeMs={asset.createdTime} isRelative withUtc /> },
        { label: words.updated, value: <Time timeMs={asset.updatedTime} isRelative withUtc /> },
        { label: words.createdBy, value: <OrderLink orderId={asset.createdByOrderId} /> },
        {
          label: words.grants,
          value: (
            <>
              {asset.licenseOrderIds.map((orderId) => (
                <div key={orderId}>
                  <OrderLink orderId={orderId} />
                </div>
              ))}
              {asset.hasMoreOrders && words.moreGrants}
            </>
          ),
        },
        { label: words.assetId, value: <CopyId id={asset.assetId} what={words.assetId} /> },
        {
          label: words.extends,
          value:
            asset.assetExtendList.length === 0
              ? undefined
              : asset.assetExtendList.map(({ extendCode, extendValue }) => (
                  <div key={extendCode}>
                    <code>{extendCode}</code>: {extendValue}
                  </div>
                )),
        },
      ]}
    />
  );
}
