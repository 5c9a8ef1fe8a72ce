import {
  type Cause,
  causes,
  codeOf,
  FailureBody,
  type OperationId,
  REQUEST_FAULTS,
  refusalsOf,
} from '@lockstep/contract';
import { z } from 'zod';
import { buildPublishedCheck } from '../harness/processes/published.ts';
import type { WireAnswer } from './wire.ts';
import type { Operation, World } from './world.ts';

/** Internal details that must never reach a client (rules 1). */
const INSIDE =
  /select |insert into|syntax error|relation "|postgres|redis|127\.0\.0\.1|localhost|node:|node_modules|\.ts\b|\bat \/|errno/i;
/** Codes that are also the HTTP status, for requests that reach no operation (rules 1). */
const NO_CALL = [400, 404, 405, 408, 417, 431];
const RFC_6749_STATUSES = [400, 401];
const MEMBER_ROOT = '/me/';

const rfcFailure = z.strictObject({ error: z.string(), error_description: z.string() });

/**
 * Returns the decoded path of a request target; null if it can't be decoded. A target may include a host (RFC 9112).
 */
function pathOf(target: string): string | null {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return null;
  }
}

/** Checks answers against what is published: the envelope, the table of causes, and the schema of each operation. */
export class AnswerRules {
  readonly #operations: { operation: Operation; pattern: RegExp; answer: z.ZodType | undefined }[];

  constructor({ operations, document }: World) {
    // As in OpenAPI, paths without parameters take precedence.
    const written = operations.toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
    this.#operations = written.map((operation) => {
      // The router accepts an empty segment; then the parameter is missing.
      const pattern = new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]*')}$`);
      const schema = operation.responses['200']?.content?.['application/json']?.schema;
      const answer = schema && buildPublishedCheck(document, schema);
      return { operation, pattern, answer };
    });
  }

  /** Returns the operation for a method and a path, if any. */
  operationOf(method: string, path: string): Operation | undefined {
    return this.#entryOf(method, path)?.operation;
  }

  #entryOf(method: string, path: string) {
    const plain = pathOf(path);
    if (plain === null) return undefined;
    return this.#operations.find(({ operation, pattern }) => operation.method === method && pattern.test(plain));
  }

  /** Returns what is wrong with an answer, or null. */
  faultOf(answer: WireAnswer, { method, path }: { method: string; path: string }): string | null {
    const { status, headers, text } = answer;
    if (!headers.has('x-request-id')) return 'no x-request-id';
    // Its answer has no body, and no operation takes it.
    if (method === 'HEAD') return NO_CALL.includes(status) ? null : `status ${status} to HEAD`;
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return `not JSON: ${text.slice(0, 200)}`;
    }
    const entry = this.#entryOf(method, path);
    if (status === 200) {
      if (entry?.answer === undefined) return null;
      const { error } = entry.answer.safeParse(body);
      return error === undefined ? null : `not the published answer: ${error.message}`;
    }
    if (INSIDE.test(text)) return `internal details: ${text}`;
    if (entry?.operation.operationId === 'issueToken' && RFC_6749_STATUSES.includes(status)) {
      if (rfcFailure.safeParse(body).success) return null;
      // Malformed HTTP reaches no operation, so it gets the usual envelope.
      if (!text.includes('"http_malformed"')) return `not an RFC 6749 answer: ${text}`;
    }
    const fault = faultOfRefusal(status, body, pathOf(path)?.startsWith(MEMBER_ROOT) === true);
    return fault ?? faultOfCause(body, entry?.operation.operationId as OperationId | undefined);
  }
}

function faultOfRefusal(status: number, body: unknown, isMember: boolean): string | null {
  const parsed = FailureBody.safeParse(body);
  if (!parsed.success) return `not the envelope: HTTP ${status} ${JSON.stringify(body)}`;
  const { code, cause } = parsed.data;
  if (!(cause in causes)) return `unknown cause ${cause}`;
  const codes = [codeOf(cause as Cause, 'order'), codeOf(cause as Cause, 'member')];
  if (!codes.includes(code)) return `code ${code} for ${cause}`;
  if (isMember && code !== codes[1] && status === 299) return `code ${code} for ${cause} in the member center`;
  // The service is healthy and has no other load, so it has no reason for a fault or a refusal as overloaded.
  if (code === '500') return `a fault: ${cause}`;
  const expected = NO_CALL.includes(Number(code)) ? Number(code) : 299;
  return status === expected ? null : `HTTP ${status} for code ${code}`;
}

/** Returns a fault if an operation refused a call with a cause that /docs doesn't list for it. */
function faultOfCause(body: unknown, id: OperationId | undefined): string | null {
  const { cause } = FailureBody.parse(body);
  const listed = [...REQUEST_FAULTS, ...(id === undefined ? [] : refusalsOf(id))];
  return listed.includes(cause) ? null : `${cause} is not listed for ${id}`;
}
