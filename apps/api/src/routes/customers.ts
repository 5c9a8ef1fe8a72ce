import {
  BindCustomer,
  CreatedEnterprise,
  CreateEnterprise,
  Customer,
  done,
  QueryCustomers,
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
        summary: 'O1: bind a customer',
        description:
          'Makes a customer, known by `channelCode` and `channelCustomerId`, and binds it to the ' +
          'enterprise of exactly this name. Where there is none, it makes that too, with `passwordMobile` ' +
          'as its security mobile and this customer as its default. A repeat must send the security mobile ' +
          'that is on file; its other fields are ignored, and it answers with the customer as it is.',
        querystring: nonceQuery,
        body: BindCustomer,
        response: answers(Customer),
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
        summary: 'O2: create an enterprise',
        description:
          'Makes an enterprise main account named `customerName`, known by `crmCustomerId`. It gets two ' +
          'customers, of the channels `crm` (the default) and `industry`, both with `channelCustomerId` ' +
          'equal to `crmCustomerId`, and two employees: the administrator and the cloud-licensed one. A ' +
          'repeat is known by `crmCustomerId`; its other fields are ignored.',
        querystring: nonceQuery,
        body: CreateEnterprise,
        response: answers(CreatedEnterprise),
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
        summary: 'O4: update a customer',
        description:
          'Changes name, branch and address of the `crm` customer that O2 made. Without `address` the ' +
          'address stays as it is. The enterprise keeps its name.',
        querystring: nonceQuery,
        body: CreateEnterprise,
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
        summary: 'O3: query customers',
        description:
          'Finds a customer by channel, and answers of its enterprise the default customer ' +
          '(`defaultCustomer=Y`) or all (`N`). Where there is no such customer, `data` is empty.',
        querystring: nonceQuery.extend(QueryCustomers.shape),
        response: answers(z.array(Customer).describe('The customers; empty where none was found.')),
      },
      onRequest,
    },
    async (request) =>
      success(await queryCustomers(databaseOf(request, db), callerOf(request).channels, request.query)),
  );
}
