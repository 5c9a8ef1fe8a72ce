import type { z } from 'zod';
import type { OperationId, SentBody } from '../operations/index.ts';
import type { Customer } from '../orders/customers.ts';

/** Examples by name, as OpenAPI holds them. */
export type Examples<Value> = Record<string, { summary: string; value: Value }>;

/**
 * The examples of an operation: its bodies, and the summaries of its 200 answers. answers.json holds the answers. A 200
 * answer to a body has the body's name. A refusal has the name of its cause, and its message as summary.
 */
export interface ExamplesOf<Id extends OperationId> {
  bodies?: Examples<SentBody<Id>>;
  answers: Record<string, string>;
}

/** The first customer of the first enterprise of the demo data (packages/customers). */
export const HEAD_OFFICE: z.input<typeof Customer> = {
  customerId: '2001',
  channelCode: 'demo',
  enterpriseGlobalId: '1001',
  enterpriseName: 'Lockstep Demo Works',
  channelCustomerId: 'DEMO-HQ',
  isDefault: true,
  contact: null,
};

/** The cloud-licensed employee of that enterprise. */
export const CLOUD_EMPLOYEE = { globalId: '3002', userName: 'cloud' };
