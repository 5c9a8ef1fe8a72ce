import type { Customer } from '../orders/customers.ts';
import type { Written } from './operation.ts';

/** The first customer of the first enterprise of the demo data (packages/customers). */
export const HEAD_OFFICE: Written<Customer> = {
  customerId: '2001',
  channelCode: 'demo',
  enterpriseGlobalId: '1001',
  enterpriseName: 'Lockstep Demo Works',
  channelCustomerId: 'DEMO-HQ',
  isDefault: true,
};

/** The cloud-licensed employee of that enterprise. */
export const CLOUD_EMPLOYEE = { globalId: '3002', userName: 'cloud' };
