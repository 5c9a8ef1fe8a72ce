import type { RefusalRecorder } from '@lockstep/access';
import { type ApplicationId, type FailureBody, findNamedAssets } from '@lockstep/contract';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    refusals: RefusalRecorder;
  }
  interface FastifyRequest {
    named?: Named;
  }
}

const MAX_INTEGER = 2_147_483_647;

/** What is kept of a call in case it is refused (rules 1.3). */
interface Named {
  /** The application that calls. Absent for strangers, and for operators. */
  applicationId?: ApplicationId;
  /** How many bytes of its body arrived. */
  bytes?: number;
  /** The first asset numbers of a body that the request no longer has. */
  assetNums?: readonly string[];
}

/** Keeps something about a call in case it is refused. */
export function noteNamed(request: FastifyRequest, named: Named): void {
  request.named = { ...request.named, ...named };
}

/** Records the refusal of a call of an application (rules 1.3), but not of strangers and operators. */
export function recordRefusal(request: FastifyRequest, answer: FailureBody): void {
  const { params, query, body, headers, named, call, server, id: requestId } = request;
  const { operationId: operation } = request.routeOptions.config;
  if (named?.applicationId === undefined || operation === undefined) return;
  const texts = [query, body].map((part) => (part as { channelOrderId?: unknown } | undefined)?.channelOrderId);
  server.refusals.record({
    ...{ applicationId: named.applicationId, operation, answer, requestId },
    channelOrderId: call?.subject.channelOrderId ?? texts.find((text) => typeof text === 'string') ?? null,
    assetNums: named.assetNums ?? findNamedAssets(params, query, body),
    // A client may announce more than an integer can say.
    size: Math.min(Number(headers['content-length'] ?? named.bytes ?? 0), MAX_INTEGER),
  });
}
