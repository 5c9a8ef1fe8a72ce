import type { ConsoleData, SearchHit } from '@lockstep/contract/console';
import { Link, linkOptions } from '@tanstack/react-router';
import { CopyId } from '../kit/index.ts';
import { useWords } from '../words/words.ts';
import { enterprisesWords } from './enterprises/words.ts';
import { ordersWords } from './orders/words.ts';

/** An order ID that links to its page and can be copied. */
export function OrderLink({ orderId }: { orderId: string }) {
  const words = useWords(ordersWords);
  return (
    <CopyId id={orderId} what={`${words.orderId} ${orderId}`}>
      <Link to="/orders/$orderId" params={{ orderId }}>
        {orderId}
      </Link>
    </CopyId>
  );
}

/** A batch number that links to its page and can be copied. */
export function BatchLink({
  batch: { batchId, channelOrderId },
}: {
  batch: { batchId: string; channelOrderId: string };
}) {
  return (
    <CopyId id={channelOrderId}>
      <Link to="/batches/$batchId" params={{ batchId }}>
        {channelOrderId}
      </Link>
    </CopyId>
  );
}

/** An asset number that links to its page and can be copied. */
export function AssetLink({ assetNum }: { assetNum: string }) {
  return (
    <CopyId id={assetNum}>
      <Link to="/assets/$assetNum" params={{ assetNum }}>
        {assetNum}
      </Link>
    </CopyId>
  );
}

/** The application that sent a batch or owns a webhook, linked to its page. */
export function ApplicationLink({ of }: { of: { appKey: string; applicationName: string } }) {
  const { appKey, applicationName } = of;
  return (
    <Link to="/applications/$appKey" params={{ appKey }} title={appKey}>
      {applicationName}
    </Link>
  );
}

type Owner = ConsoleData<'listAssets'>['assets'][number]['owner'];

/** A customer and its enterprise, linked to the enterprise's page. */
export function OwnerLink({ owner, withIds = false }: { owner: Owner; withIds?: boolean }) {
  const words = useWords(enterprisesWords);
  const { customerId, customerName, channelCode, channelCustomerId, enterpriseGlobalId, enterpriseName } = owner;
  return (
    <>
      <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }} search={{ tab: 'customers' }}>
        {customerName}
      </Link>
      {withIds ? (
        <>
          <div>
            <CopyId id={customerId} what={`${words.id} ${customerId}`} />
          </div>
          <div>
            {channelCode} · <CopyId id={channelCustomerId} />
          </div>
        </>
      ) : (
        enterpriseName !== customerName && <span> · {enterpriseName}</span>
      )}
    </>
  );
}

/** An enterprise, linked to its page. */
export function EnterpriseLink({
  owner: { enterpriseGlobalId, enterpriseName },
}: {
  owner: Pick<Owner, 'enterpriseGlobalId' | 'enterpriseName'>;
}) {
  const words = useWords(enterprisesWords);
  return (
    <>
      <Link to="/enterprises/$enterpriseGlobalId" params={{ enterpriseGlobalId }}>
        {enterpriseName}
      </Link>
      <div>
        <CopyId id={enterpriseGlobalId} what={`${words.id} ${enterpriseGlobalId}`} />
      </div>
    </>
  );
}

/** Returns the link to a search hit. */
export function hitAddress({ kind, id }: SearchHit) {
  switch (kind) {
    case 'order':
      return linkOptions({ to: '/orders/$orderId', params: { orderId: id } });
    case 'batch':
      return linkOptions({ to: '/batches/$batchId', params: { batchId: id } });
    case 'asset':
      return linkOptions({ to: '/assets/$assetNum', params: { assetNum: id } });
    case 'application':
      return linkOptions({ to: '/applications/$appKey', params: { appKey: id } });
    case 'enterprise':
    case 'customer':
      return linkOptions({ to: '/enterprises/$enterpriseGlobalId', params: { enterpriseGlobalId: id } });
  }
}
