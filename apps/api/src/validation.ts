import { parse, parseBody } from '@lockstep/contract';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

/**
 * Checks a part of a call against its schema; fails with the refusals of the contract. In a body it looks for
 * misspellings too.
 */
export const checks: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) => {
    try {
      return { value: httpPart === 'body' ? parseBody(schema, data) : parse(schema, data) };
    } catch (error) {
      return { error: error as Error };
    }
  };

/** Checks like `checks`, but leaves the body to a handler that checks it itself. */
export const checksAllButBody: FastifySchemaCompiler<z.ZodType> = (part) =>
  part.httpPart === 'body' ? (data: unknown) => ({ value: data }) : checks(part);
