import type { SearchHit } from '@lockstep/contract/console';
import { linkOptions } from '@tanstack/react-router';

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
