import {
  bindCustomerBody,
  createdEnterprise,
  createEnterpriseBody,
  customer,
  done,
  queryCustomersQuery,
  success,
} from '@lockstep/contract';
import { bindCustomer, createEnterprise, queryCustomers, updateCustomer } from '@lockstep/customers';
import { z } from 'zod';
import { authorize, callerOf } from '../caller.ts';
import { databaseOf } from '../deadlines.ts';
import { answers, doneAnswers, nonceQuery, orderOperation } from '../openapi.ts';
import type { Server, ServerOptions } from '../server.ts';

/** O1 to O4: customers and enterprise main accounts (interface.md; decisions 5). */
export async function customerRoutes(server: Server, { db, verifier }: ServerOptions): Promise<void> {
  const onRequest = authorize(verifier, 'auth_order');

  server.post(
    '/enterprise/user/bind',
    {
      schema: {
        ...orderOperation,
        operationId: 'bindCustomer',
        summary: 'O1: bind an authorized customer to an enterprise main account',
        querystring: nonceQuery,
        body: bindCustomerBody,
        response: answers(customer),
      },
      onRequest,
    },
    async (request) => success(await bindCustomer(databaseOf(request, db), callerOf(request).channels, request.body)),
  );

  server.post(
    '/enterprise/user/create',
    {
      schema: {
        ...orderOperation,
        operationId: 'createEnterprise',
        summary: 'O2: create an enterprise main account',
        querystring: nonceQuery,
        body: createEnterpriseBody,
        response: answers(createdEnterprise),
      },
      onRequest,
    },
    async (request) => success(await createEnterprise(databaseOf(request, db), callerOf(request), request.body)),
  );

  server.post(
    '/enterprise/user/update',
    {
      schema: {
        ...orderOperation,
        operationId: 'updateCustomer',
        summary: 'O4: update the customer of a CRM customer',
        querystring: nonceQuery,
        body: createEnterpriseBody,
        response: doneAnswers,
      },
      onRequest,
    },
    async (request) => {
      await updateCustomer(databaseOf(request, db), callerOf(request).channels, request.body);
      return done;
    },
  );

  server.get(
    '/enterprise/user/query',
    {
      schema: {
        ...orderOperation,
        operationId: 'queryCustomers',
        summary: 'O3: query the customers of an enterprise main account',
        querystring: nonceQuery.extend(queryCustomersQuery.shape),
        response: answers(z.array(customer)),
      },
      onRequest,
    },
    async (request) =>
      success(await queryCustomers(databaseOf(request, db), callerOf(request).channels, request.query)),
  );
}
