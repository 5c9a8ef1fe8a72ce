import type { Caller } from '@lockstep/access';
import type { OrderOperationId } from '@lockstep/contract';
import type { Handlers } from './operation-routes.ts';

/** Some of the handlers of the order module. */
export type OrderHandlers = Partial<Handlers<OrderOperationId, Caller>>;
