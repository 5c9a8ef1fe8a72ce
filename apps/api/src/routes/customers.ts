import { done, success } from '@lockstep/contract';
import { bindCustomer, createEnterprise, queryCustomers, updateCustomer } from '@lockstep/customers';
import { limitToCall } from '../deadlines.ts';
import type { OrderHandlers } from '../order-handlers.ts';
import type { ServerOptions } from '../server-options.ts';

/** O1 to O4: customers and enterprise main accounts (rules 5). */
export function customerHandlers({ db }: ServerOptions) {
  return {
    bindCustomer: async (request, { channels }) =>
      success(await bindCustomer(limitToCall(request, db), channels, request.body)),

    createEnterprise: async (request, caller) =>
      success(await createEnterprise(limitToCall(request, db), caller, request.body)),

    updateCustomer: async (request, { channels }) => {
      await updateCustomer(limitToCall(request, db), channels, request.body);
      return done;
    },

    queryCustomers: async (request, { channels }) =>
      success(await queryCustomers(limitToCall(request, db), channels, request.query)),
  } satisfies OrderHandlers;
}
