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
export function noteNamed(request: FastifyRequest, { applicationId, bytes, assetNums }: Named): void {
  request.named ??= {};
  if (applicationId !== undefined) request.named.applicationId = applicationId;
  if (bytes !== undefined) request.named.bytes = bytes;
  if (assetNums !== undefined) request.named.assetNums = assetNums;
}

/** Records the refusal of a call of an application (rules 1.3), but not of strangers and operators. */
export function recordRefusal(request: FastifyRequest, answer: FailureBody): void {
  const { applicationId, bytes = 0, assetNums } = request.named ?? {};
  const { operationId: operation } = request.routeOptions.config;
  if (applicationId === undefined || operation === undefined) return;
  request.server.refusals.record({ applicationId, operation, cause: answer.cause }, () => {
    const parts = [request.params, request.query, request.body];
    const texts = parts.map((part) => (part as { channelOrderId?: unknown } | undefined)?.channelOrderId);
    return {
      answer,
      requestId: request.id,
      channelOrderId: request.call?.subject.channelOrderId ?? texts.find((text) => typeof text === 'string') ?? null,
      assetNums: assetNums ?? findNamedAssets(...parts),
      size: Number(request.headers['content-length'] ?? bytes),
    };
  });
}
