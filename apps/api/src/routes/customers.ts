import { done, success } from '@lockstep/contract';
import { bindCustomer, createEnterprise, queryCustomers, updateCustomer } from '@lockstep/customers';
import type { OrderHandlers } from '../calls/operation-routes.ts';

/** O1 to O4: customers and enterprise main accounts (rules 5). */
export const customerHandlers = {
  bindCustomer: async (request, { channels }) => success(await bindCustomer(request.db, channels, request.body)),

  createEnterprise: async (request, caller) => success(await createEnterprise(request.db, caller, request.body)),

  updateCustomer: async (request, { channels }) => {
    await updateCustomer(request.db, channels, request.body);
    return done;
  },

  queryCustomers: async (request, { channels }) => success(await queryCustomers(request.db, channels, request.query)),
} satisfies OrderHandlers;
