import { parse } from '@lockstep/contract';
import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';

/** Checks a part of a call against its schema; fails with the refusals of the contract. */
export const checks: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) => {
    try {
      return { value: parse(schema, data) };
    } catch (error) {
      return { error: error as Error };
    }
  };

/** Checks like `checks`, but leaves the body to a handler that checks it itself. */
export const checksAllButBody: FastifySchemaCompiler<z.ZodType> = (part) =>
  part.httpPart === 'body' ? (data: unknown) => ({ value: data }) : checks(part);
