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
import type { WireAnswer } from './wire.ts';
import type { Operation, World } from './world.ts';

/** What is inside and never reaches a client (rules 1). */
const INSIDE =
  /select |insert into|syntax error|relation "|postgres|redis|127\.0\.0\.1|localhost|node:|node_modules|\.ts\b|\bat \/|errno/i;
/** The codes that are the HTTP status as well: what is not a call of an operation (rules 1). */
const NO_CALL = [400, 404, 405, 408, 417, 431];
const RFC_6749_STATUSES = [400, 401];
const MEMBER_ROOT = '/me/';

const rfcFailure = z.strictObject({ error: z.string(), error_description: z.string() });

/** The path of a request's target, decoded; null where that cannot be. A target may name its host, too (RFC 9112). */
function pathOf(target: string): string | null {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/i, '').split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return null;
  }
}

/** Holds answers against what is published: the envelope, the table of causes, the description of each operation. */
export class AnswerRules {
  readonly #operations: { operation: Operation; pattern: RegExp; answer: z.ZodType | undefined }[];

  constructor({ operations, document }: World) {
    // A path that is written out goes before one with a parameter in its place, as in OpenAPI.
    const written = operations.toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));
    this.#operations = written.map((operation) => {
      const pattern = new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]+')}$`);
      const schema = operation.responses['200']?.content?.['application/json']?.schema;
      const whole = JSON.stringify({ ...schema, $defs: document.components.schemas });
      const answer = schema && z.fromJSONSchema(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')));
      return { operation, pattern, answer };
    });
  }

  /** The operation that a method and a path lead to, if any. */
  operationOf(method: string, path: string): Operation | undefined {
    return this.#entryOf(method, path)?.operation;
  }

  #entryOf(method: string, path: string) {
    const plain = pathOf(path);
    if (plain === null) return undefined;
    return this.#operations.find(({ operation, pattern }) => operation.method === method && pattern.test(plain));
  }

  /** What is wrong with an answer to a call, or null. */
  faultOf(answer: WireAnswer, { method, path }: { method: string; path: string }): string | null {
    const { status, headers, text } = answer;
    if (!headers.has('x-request-id')) return 'no x-request-id';
    // It has no body, and no operation takes it.
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
    if (INSIDE.test(text)) return `something of the inside: ${text}`;
    if (entry?.operation.operationId === 'issueToken' && RFC_6749_STATUSES.includes(status)) {
      if (rfcFailure.safeParse(body).success) return null;
      // What is not even HTTP was not for any operation.
      if (!text.includes('"http_malformed"')) return `not an answer of RFC 6749: ${text}`;
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
  // The service has all it needs, and nobody else calls: it has no reason to refuse for a fault or for load.
  if (code === '500') return `a fault: ${cause}`;
  const expected = NO_CALL.includes(Number(code)) ? Number(code) : 299;
  return status === expected ? null : `HTTP ${status} for code ${code}`;
}

/** Says if an operation has refused a call for a cause that docs/api.md does not list for it. */
function faultOfCause(body: unknown, id: OperationId | undefined): string | null {
  const { cause } = FailureBody.parse(body);
  const listed = [...REQUEST_FAULTS, ...(id === undefined ? [] : refusalsOf(id))];
  return listed.includes(cause) ? null : `${cause} is not listed for ${id}`;
}
