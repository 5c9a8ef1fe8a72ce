import type { Customer } from '../customers.ts';
import { done, success } from '../envelope.ts';
import { DEMO_WORKS, HEAD_OFFICE, SITE_YARD } from './demo.ts';
import { type ExamplesOf, refused, type Written } from './operation.ts';

/** The customer that the example of O1 makes. */
const DEPOT: Written<Customer> = {
  customerId: '100001',
  ...DEMO_WORKS,
  channelCustomerId: 'DEMO-DEPOT',
  isDefault: false,
};

export const bindCustomer: ExamplesOf<'bindCustomer'> = {
  bodies: {
    depot: {
      summary: 'One more customer of the demo enterprise',
      value: {
        channelCode: DEPOT.channelCode,
        channelCustomerId: DEPOT.channelCustomerId,
        customerName: 'Demo Works Depot',
        branchName: 'Demo Branch',
        enterpriseName: DEPOT.enterpriseName,
        passwordMobile: '13800000001',
      },
    },
  },
  answers: {
    200: { depot: { summary: 'The customer', value: success(DEPOT) } },
    299: refused('The enterprise has another mobile number', 'enterprise_mobile_mismatch'),
  },
};

export const createEnterprise: ExamplesOf<'createEnterprise'> = {
  bodies: {
    bridge_works: {
      summary: 'An enterprise',
      value: {
        crmCustomerId: 'CRM-88050',
        customerName: 'Demo Bridge Works',
        branchName: 'Demo Branch',
        address: '5 Quay Street',
      },
    },
  },
  answers: {
    200: {
      bridge_works: {
        summary: 'The enterprise with its first two employees',
        value: success({
          enterpriseGlobalId: '100001',
          defaultType: true,
          members: [
            { memberGlobalId: '100001', memberIdentity: 'admin@k7m2p9qx' },
            { memberGlobalId: '100002', memberIdentity: 'cloud@k7m2p9qx' },
          ],
        }),
      },
    },
    299: refused('The name is taken', 'enterprise_name_taken'),
  },
};

export const updateCustomer: ExamplesOf<'updateCustomer'> = {
  bodies: {
    bridge_works: {
      summary: 'The customer of the enterprise that O2 made',
      value: {
        crmCustomerId: 'CRM-88050',
        customerName: 'Demo Bridge and Tunnel Works',
        branchName: 'Demo Branch',
        address: '7 Quay Street',
      },
    },
  },
  answers: {
    200: { bridge_works: { summary: 'Done', value: done } },
    299: refused('O2 was not called for this CRM customer', 'customer_not_found', 'of CRM customer CRM-88051'),
  },
};

export const queryCustomers: ExamplesOf<'queryCustomers'> = {
  answers: {
    200: { all: { summary: 'All customers of the enterprise', value: success([HEAD_OFFICE, SITE_YARD, DEPOT]) } },
    299: refused('A parameter is wrong', 'field_invalid', 'defaultCustomer', 'must be Y or N'),
  },
};
