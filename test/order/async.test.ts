import { describe, expect, it } from 'vitest';
import { batchOf, deleteAsset, deleteProduct, newAssetNum, newBuy } from '../harness/orders/orders.ts';
import { QUEUE_KINDS, testStack } from '../harness/stack.ts';

describe.each(QUEUE_KINDS)('an async batch on %s', async (queue) => {
  const { api } = await testStack({ queue });

  it('answers final IDs at once and reports the outcome of each order', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    const batch = batchOf(
      newBuy(customer, [assetNum]),
      deleteProduct(customer, [assetNum]),
      deleteProduct(customer, [assetNum]),
      deleteAsset(customer, [assetNum]),
    );
    const accepted = await api.accept(batch);
    const result = await api.completed(batch);
    expect(result).toMatchObject({ state: 'completed', total: 4, succeeded: 3, failed: 1, pending: 0 });
    expect(result.orders.map((order) => order.licenseOrderId)).toEqual(accepted.map((order) => order.licenseOrderId));
    expect(result.orders).toMatchObject([
      { orderType: 'new_buy', state: 'succeeded', assets: 1, products: 1 },
      { orderType: 'delete_product', state: 'succeeded', assets: 0, products: 1 },
      { orderType: 'delete_product', state: 'failed', code: '13004', cause: 'product_not_found' },
      { orderType: 'delete_asset', state: 'succeeded', assets: 1, products: 0 },
    ]);
  });
});
