import type pg from 'pg';

/** The part of pg's connection that a copy uses. */
interface Wire {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * Copies rows in PostgreSQL's text format into a table, which pg has no call for. @throws the error that PostgreSQL
 * reports
 */
export function copyRows(client: pg.PoolClient, into: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let wire: Wire;
    let failure: unknown;
    client.query({
      submit(connection: unknown) {
        wire = connection as Wire;
        wire.query(`copy ${into} from stdin`);
      },
      handleCopyInResponse() {
        wire.sendCopyFromChunk(rows);
        wire.endCopyFrom();
      },
      handleError(error: unknown) {
        failure = error;
      },
      handleReadyForQuery() {
        if (failure === undefined) resolve();
        else reject(failure);
      },
      handleCommandComplete() {},
    } as unknown as pg.Submittable);
  });
}
