import type { MemberOperationId } from '@lockstep/contract';
import type { Actor } from '@lockstep/members';
import type { Handlers } from './operation-routes.ts';

/** Some of the handlers of the member center. */
export type MemberHandlers = Partial<Handlers<MemberOperationId, Actor>>;
