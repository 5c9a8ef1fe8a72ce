import type { Customer } from '../customers.ts';
import type { Written } from './operation.ts';

/** The first enterprise of the demo data, and its customers (packages/customers). */
export const DEMO_WORKS = { channelCode: 'demo', enterpriseGlobalId: '1001', enterpriseName: 'Lockstep Demo Works' };
export const HEAD_OFFICE: Written<Customer> = {
  customerId: '2001',
  ...DEMO_WORKS,
  channelCustomerId: 'DEMO-HQ',
  isDefault: true,
};
export const SITE_YARD: Written<Customer> = {
  customerId: '2002',
  ...DEMO_WORKS,
  channelCustomerId: 'DEMO-YARD',
  isDefault: false,
};

/** What its accounts end with, and its first employees: the administrator, and the cloud-licensed employee. */
export const ENTERPRISE_CODE = 'demoworks';
export const ADMIN = { globalId: '3001', userName: 'admin' };
export const CLOUD_EMPLOYEE = { globalId: '3002', userName: 'cloud' };
