import { z } from 'zod';
import { Refusal } from '../causes.ts';
import { nested } from '../containers.ts';
import { AssetToBuy, MAX_LIST_ELEMENTS } from '../orders/items.ts';
import { BatchOrder, DeleteAssetOrder, DeleteProductOrder, NewBuyOrder } from '../orders/orders.ts';
import { checkInstances, checkText } from '../orders/size.ts';
import { check } from '../parse.ts';
import { findUnknownFields } from './misspellings.ts';
import { findNamedAssets } from './named-assets.ts';
import { readJson } from './read-json.ts';

const { channelCode, channelOrderId } = BatchOrder.shape;
const BatchName = z.object({
  channelCode: channelCode.optional().catch(undefined),
  channelOrderId: channelOrderId.optional().catch(undefined),
});
/** The valid parts of the key of a batch. */
export type BatchName = z.infer<typeof BatchName>;

/** The refusal of a batch, with the valid parts of its key for the log, and the first asset numbers that it names. */
export class BatchRefusal extends Refusal {
  readonly batchName: BatchName;
  readonly assetNums: string[];

  constructor({ reason, args, message, faults }: Refusal, json: unknown) {
    super(reason, ...args);
    this.message = message;
    this.faults = faults;
    this.batchName = BatchName.safeParse(json).data ?? {};
    this.assetNums = findNamedAssets(json);
  }
}

/** A batch, and the paths of its first unknown fields, which are ignored. */
export interface BatchBody {
  batch: BatchOrder;
  ignoredFields: string[];
}

/**
 * Parses the body of O5 or its preview. A single fault refuses the whole batch. Throws the Refusals of readJson, and a
 * BatchRefusal: batch_too_large, or the cause of the first fault (rules 6.1).
 */
export function readBatchOrder(bytes: Buffer): BatchBody {
  const json = readJson(bytes, MAX_LIST_ELEMENTS);
  try {
    const { misspelled, ignored } = findUnknownFields(BatchOrder, json);
    const batch = misspelled.length === 0 ? readValidBatch(json) : null;
    const checked = batch === null ? check(BatchOrder, json, [], misspelled) : { ok: true as const, value: batch };
    if (!checked.ok) throw checked.refusal;
    checkInstances(checked.value.orderList);
    checkText(checked.value.orderList, bytes.length);
    return { batch: checked.value, ignoredFields: ignored };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new BatchRefusal(error, json);
  }
}

/**
 * Parses a batch with code that zod generates from BatchOrder, in a quarter of the time. Returns null for an invalid
 * batch; `parse` with BatchOrder accepts the same batches and reports the faults.
 */
export function readValidBatch(input: unknown): BatchOrder | null {
  compiled ??= compile();
  return compiled.parse(input);
}

let compiled: ReturnType<typeof compile> | undefined;

/** Compiles the schema, which takes tens of milliseconds, so only processes that read batches do it. */
function compile() {
  const { merchandises } = AssetToBuy.shape;
  const merchandisesByZod = nested(() => merchandises);
  const assets = z.array(AssetToBuy.safeExtend({ merchandises: merchandisesByZod.optional() }));
  const order = z.discriminatedUnion('orderType', [
    NewBuyOrder.safeExtend({ assets: sameBounds(NewBuyOrder.shape.assets, assets) }),
    DeleteAssetOrder,
    DeleteProductOrder,
  ]);
  const batch = BatchOrder.safeExtend({ orderList: sameBounds(BatchOrder.shape.orderList, z.array(order)) });
  // If the first part of a union fails, generated code tries the next one instead of asking zod for the faults.
  return z.compile(z.union([batch, z.unknown().transform(() => null)]), { strict: true });
}

/** Returns a list schema with the checks of another one. */
function sameBounds<Item extends z.ZodType>({ def }: z.ZodArray, list: z.ZodArray<Item>): z.ZodArray<Item> {
  return list.check(...((def.checks ?? []) as z.core.$ZodCheck<unknown[]>[])) as z.ZodArray<Item>;
}
