import type { ConsoleData } from '@lockstep/contract/console';
import { Link, linkOptions } from '@tanstack/react-router';
import { CopyId } from '../kit/values.tsx';
import { ordersWords as words } from './orders/words.ts';

type Filters = { [name: string]: string };

/** The address of each page that others link to, by the id of what it shows, or by its filters. */
export const pageOf = {
  application: (appKey: string) => linkOptions({ to: '/applications/$appKey', params: { appKey } }),
  asset: (assetNum: string) => linkOptions({ to: '/assets/$assetNum', params: { assetNum } }),
  batch: (batchId: string) => linkOptions({ to: '/batches/$batchId', params: { batchId } }),
  channelsOf: (appKey: string) => linkOptions({ to: '/applications/$appKey/channels', params: { appKey } }),
  channel: (channelCode: string) => linkOptions({ to: '/channels/$channelCode', params: { channelCode } }),
  customer: (customerId: string) => linkOptions({ to: '/customers/$customerId', params: { customerId } }),
  enterprise: (enterpriseGlobalId: string) =>
    linkOptions({ to: '/enterprises/$enterpriseGlobalId', params: { enterpriseGlobalId } }),
  operator: (name: string) => linkOptions({ to: '/operators/$name', params: { name } }),
  order: (orderId: string) => linkOptions({ to: '/orders/$orderId', params: { orderId } }),
  webhook: (webhookId: string) => linkOptions({ to: '/webhooks/$webhookId', params: { webhookId } }),
  assets: (search: Filters) => linkOptions({ to: '/assets', search }),
  auditLog: (search: Filters) => linkOptions({ to: '/audit-log', search }),
  batches: (search: Filters) => linkOptions({ to: '/batches', search }),
  channels: (search: Filters) => linkOptions({ to: '/channels', search }),
  customers: (search: Filters) => linkOptions({ to: '/customers', search }),
  enterprises: (search: Filters) => linkOptions({ to: '/enterprises', search }),
  orders: (search: Filters) => linkOptions({ to: '/orders', search }),
  /** The page that resends failed orders of a batch: all, or those of one cause or some ids. */
  resend: (batchId: string, search: Filters = {}) =>
    linkOptions({ to: '/batches/$batchId/resend', params: { batchId }, search }),
  refusals: (search: Filters) => linkOptions({ to: '/refusals', search }),
  webhooks: (search: Filters) => linkOptions({ to: '/webhooks', search }),
};

/** An order ID that links to its page and can be copied. */
export function OrderLink({ orderId }: { orderId: string }) {
  return (
    <CopyId id={orderId} what={`${words.orderId} ${orderId}`}>
      <Link {...pageOf.order(orderId)}>{orderId}</Link>
    </CopyId>
  );
}

/** A batch number that links to its page and can be copied. */
export function BatchLink({ batch }: { batch: { batchId: string; channelOrderId: string } }) {
  return (
    <CopyId id={batch.channelOrderId}>
      <Link {...pageOf.batch(batch.batchId)}>{batch.channelOrderId}</Link>
    </CopyId>
  );
}

/** An asset number that links to its page and can be copied. */
export function AssetLink({ assetNum }: { assetNum: string }) {
  return (
    <CopyId id={assetNum}>
      <Link {...pageOf.asset(assetNum)}>{assetNum}</Link>
    </CopyId>
  );
}

/** The application that sent a batch or owns a webhook, linked to its page. */
export function ApplicationLink({ of }: { of: { appKey: string; applicationName: string } }) {
  return (
    <Link {...pageOf.application(of.appKey)} title={of.appKey}>
      {of.applicationName}
    </Link>
  );
}

/** The employee to whom an asset is assigned, linked to the enterprise's employees. */
export function HolderLink({ holder, enterpriseGlobalId }: { holder: Holder; enterpriseGlobalId: string }) {
  return (
    <Link
      {...pageOf.enterprise(enterpriseGlobalId)}
      search={{ tab: 'employees', text: holder.account }}
      title={holder.account}
    >
      {holder.name}
    </Link>
  );
}

type Holder = { name: string; account: string };
type Owner = ConsoleData<'getAsset'>['earlier'][number]['owner'];

/** A customer and its enterprise, linked to their pages. */
export function OwnerLink({ owner }: { owner: Owner }) {
  const { customerName, enterpriseName } = owner;
  return (
    <>
      <CustomerLink owner={owner} />
      {enterpriseName !== customerName && ' · '}
      {enterpriseName !== customerName && <EnterpriseLink owner={owner} />}
    </>
  );
}

/** A customer, linked to its page. Without a name, its id. */
export function CustomerLink({ owner: { customerId, customerName } }: { owner: Customer }) {
  return (
    <Link {...pageOf.customer(customerId)} title={customerId}>
      {customerName ?? customerId}
    </Link>
  );
}

type Customer = { customerId: string; customerName: string | null };

/** An enterprise, linked to its page. */
export function EnterpriseLink({ owner }: { owner: Pick<Owner, 'enterpriseGlobalId' | 'enterpriseName'> }) {
  return <Link {...pageOf.enterprise(owner.enterpriseGlobalId)}>{owner.enterpriseName}</Link>;
}
