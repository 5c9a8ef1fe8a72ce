import { findApplication } from '@lockstep/access/operator';
import { type ApplicationId, type Channels, requireChannel } from '@lockstep/contract';
import type { PreviewedOrder } from '@lockstep/contract/console';
import type { Operator } from '@lockstep/operators';
import { comparePreview } from '@lockstep/orders';
import type { Database } from '@lockstep/platform';
import { noteSubject } from '../../calls/calls.ts';
import type { Services } from '../../services.ts';
import { type ConsoleHandlers, existing } from '../operations.ts';
import { partyOf } from '../who-acts.ts';

/** The most assets, products and asset numbers each that an answer lists, for all orders together. */
const MAX_LISTED = 20_000;
/** The same for one order. */
const MAX_LISTED_OF_ORDER = 500;

/** Handler of the preview. Its plugin leaves bodies as bytes: they are read like those of integrators. */
export function previewHandlers({ batches, reads }: Services) {
  return {
    previewBatch: async (request, operator) => {
      const bytes = (request.body as unknown as Buffer | null) ?? Buffer.alloc(0);
      const channels = await findChannels(request.db, operator, request.query.appKey);
      // Each operator has a fair share, as each application has.
      const party = partyOf(operator) as ApplicationId;
      const sender = { applicationId: party, channels };
      const { prepared, orders, ignoredFields } = await batches.read(sender, bytes, true, request);
      const { channelCode, channelOrderId, syncMode, sequences } = prepared;
      noteSubject(request, { channelCode, channelOrderId, orders: sequences.length });
      requireChannel(channels, channelCode);
      const { previews, numbers } = await reads.run(party, request.deadline.signal, () =>
        comparePreview(request.db, prepared, orders, channels),
      );
      const atMost = Math.min(MAX_LISTED_OF_ORDER, Math.ceil(MAX_LISTED / previews.length));
      const shown = previews.map((preview, index) => cutLists({ ...preview, numbers: numbers[index]! }, atMost));
      return { channelCode, channelOrderId, syncMode, orders: shown, ignoredFields };
    },
  } satisfies ConsoleHandlers;
}

/** Returns the channels of an application, which are all the operator's too; without an appKey, the operator's. */
async function findChannels(db: Database, operator: Operator, appKey: string | undefined): Promise<Channels> {
  if (appKey === undefined) return operator.channels;
  return existing('application', appKey, await findApplication(db, operator, appKey)).channels;
}

function cutLists(
  order: Omit<PreviewedOrder, 'numberCount' | 'assetCount' | 'productCount'>,
  atMost: number,
): PreviewedOrder {
  const { numbers, assets, products } = order;
  return {
    ...order,
    numbers: numbers.slice(0, atMost),
    assets: assets.slice(0, atMost),
    products: products.slice(0, atMost),
    numberCount: numbers.length,
    assetCount: assets.length,
    productCount: products.length,
  };
}
