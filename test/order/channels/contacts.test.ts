import type { Contact, Customer } from '@lockstep/contract';
import { eraseContact } from '@lockstep/customers';
import { describe, expect, it } from 'vitest';
import { dataOf } from '../../harness/api.ts';
import {
  batchOf,
  CONTACT,
  deleteAsset,
  deleteProduct,
  newAssetNum,
  newBuy,
  type Sent,
} from '../../harness/orders/orders.ts';
import { syncOf } from '../../harness/orders/sync-batches.ts';
import { testStack } from '../../harness/stack.ts';

/** Who buys for a customer, as its newest order that took effect says (rules 5). */

const { stack, api } = await testStack();

const { crmCustomerId, customerName, customerType, ...SAID } = CONTACT;
/** Fields of an order that differ from others' in each value. */
const say = (word: string) => Object.fromEntries(Object.keys(SAID).map((field) => [field, `${field} ${word}`]));
const buy = (customer: Customer, said: Sent = {}, assetNum = newAssetNum()) => newBuy(customer, [assetNum], said);

/** Returns the contact that O3 shows. O1 shows the same. */
async function contactOf({ channelCode, channelCustomerId, enterpriseName, customerId }: Customer) {
  const query = { channelCode, channelCustomerId, defaultCustomer: 'N' } as const;
  const customers = dataOf(await api.ask('queryCustomers', { query }));
  const { contact } = customers.find((each: Customer) => each.customerId === customerId)!;
  const body = { channelCode, channelCustomerId, customerName: 'C', branchName: 'B', enterpriseName };
  const bound = await api.ask('bindCustomer', { body: { ...body, passwordMobile: '13800000000' } });
  expect(dataOf(bound)).toMatchObject({ customerId, contact });
  return contact;
}
const said = (word: string, licenseOrderId: string): Contact =>
  ({ ...say(word), licenseOrderId, updatedTime: expect.any(Number) }) as Contact;

describe('the contact of a customer', () => {
  it('is what the newest order said that took effect, by sequence, of any type, sync or async', async () => {
    const customer = await api.newCustomer();
    const assetNum = newAssetNum();
    expect(await contactOf(customer)).toBeNull();
    const [second, first] = await api.process(
      batchOf({ ...buy(customer, say('2')), sequence: 2 }, { ...buy(customer, say('1'), assetNum), sequence: 1 }),
    );
    expect(first).toMatchObject({ state: 'succeeded' });
    expect(await contactOf(customer)).toEqual(said('2', second!.licenseOrderId));
    const [revoked] = await api.process(batchOf(deleteProduct(customer, [assetNum], {}, say('3'))));
    expect(await contactOf(customer)).toEqual(said('3', revoked!.licenseOrderId));
    const [ended] = await api.carryOut(deleteAsset(customer, [assetNum], say('4')));
    expect(await contactOf(customer)).toEqual(said('4', ended!.licenseOrderId));
  });

  it('is not what a failed, refused or previewed order said, nor what another customer did', async () => {
    const customer = await api.newCustomer();
    const [first] = await api.carryOut(buy(customer, say('1')));
    const failing = deleteAsset(customer, [newAssetNum()], say('2'));
    expect(await api.process(batchOf(failing))).toMatchObject([{ state: 'failed' }]);
    await api.submit(syncOf(buy(customer, say('3')), failing));
    await api.preview(batchOf(buy(customer, say('4'))));
    await api.carryOut(buy(await api.newCustomer(), say('5')));
    expect(await contactOf(customer)).toEqual(said('1', first!.licenseOrderId));
  });

  it('stays as it was stored if an order says the same, and is new if only one field differs', async () => {
    const customer = await api.newCustomer();
    await api.carryOut(buy(customer, say('1')));
    const before = await contactOf(customer);
    await api.carryOut(buy(customer, say('1')));
    await api.process(batchOf(buy(customer, say('1'))));
    expect(await contactOf(customer)).toEqual(before);
    const [other] = await api.carryOut(buy(customer, { ...say('1'), branchName: 'Elsewhere' }));
    expect(await contactOf(customer)).toMatchObject({ branchName: 'Elsewhere', licenseOrderId: other!.licenseOrderId });
  });

  it('names the order that first said so, however orders run together', async () => {
    const customer = await api.newCustomer();
    const orders = ['1', '2', '1', '1'].map((word) => buy(customer, say(word)));
    const results = await api.process(batchOf(...orders));
    expect(await contactOf(customer)).toEqual(said('1', results[2]!.licenseOrderId));
  });

  it('can be erased, and the next order stores its own, even the same', async () => {
    const customer = await api.newCustomer();
    const recorded: string[] = [];
    const erase = () => eraseContact(stack.db, customer.customerId, async () => void recorded.push('erased'));
    expect(await erase()).toBe(false);
    await api.carryOut(buy(customer, say('1')));
    expect(await erase()).toBe(true);
    expect(recorded).toEqual(['erased']);
    expect(await contactOf(customer)).toBeNull();
    const [again] = await api.carryOut(buy(customer, say('1')));
    expect(await contactOf(customer)).toEqual(said('1', again!.licenseOrderId));
  });
});
