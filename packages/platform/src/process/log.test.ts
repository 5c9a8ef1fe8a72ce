import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger } from './log.ts';

const secrets = new Set(['password', 'passwords']);

/** A logger, with its lines as text and parsed. */
function logged(write: (log: Logger) => void, level = 'trace') {
  const lines: string[] = [];
  write(createLogger({ name: 'test', level, secrets }, { write: (line) => void lines.push(line) }));
  return { text: lines.join(''), entries: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

it('writes one line of JSON for each entry of its level or higher', () => {
  const { entries } = logged((log) => {
    log.debug('not this');
    log.info({ lanes: [1, 2] }, 'drained');
    log.warn('careful');
  }, 'info');
  expect(entries).toMatchObject([{ name: 'test', level: 30, lanes: [1, 2], msg: 'drained' }, { msg: 'careful' }]);
});

describe('redaction', () => {
  const entry = { password: 's3cret', passwords: ['s3cret', 's3cret'] };

  it.each(Object.entries(entry))('hides %s at the top and one level down', (key, value) => {
    const { text, entries } = logged((log) => log.info({ [key]: value, inside: { [key]: value, other: 'shown' } }));
    expect(text).not.toContain('s3cret');
    expect(entries).toMatchObject([{ [key]: '[redacted]', inside: { [key]: '[redacted]', other: 'shown' } }]);
  });

  it('hides them in the bindings of a child logger, too', () => {
    const { text, entries } = logged((log) =>
      log
        .child({})
        .child({ requestId: 'r1', ...entry, inside: entry })
        .info('call'),
    );
    expect(text).not.toContain('s3cret');
    expect(entries).toMatchObject([{ requestId: 'r1', password: '[redacted]', inside: { passwords: '[redacted]' } }]);
  });

  it('does not change the logged object', () => {
    const object = structuredClone({ ...entry, inside: entry });
    logged((log) => log.info(object));
    expect(object).toEqual({ ...entry, inside: entry });
  });
});

describe('an error', () => {
  /** PostgreSQL's error when a row breaks a constraint. */
  function databaseError(): pg.DatabaseError {
    const error = new pg.DatabaseError('duplicate key value violates unique constraint "member_pkey"', 1, 'error');
    const quoting = { detail: 'Key (name)=(s3cret) already exists.', where: 'COPY member, line 1: "s3cret"' };
    return Object.assign(error, { code: '23505', table: 'member', ...quoting, internalQuery: "select 's3cret'" });
  }

  it.each<[string, (log: Logger, error: Error) => void]>([
    ['under err', (log, error) => log.error({ err: error, lanes: [3] }, 'drain failed')],
    ['by itself', (log, error) => log.error(error, 'drain failed')],
    ['as a cause', (log, error) => log.error({ err: new Error('outer', { cause: error }) }, 'drain failed')],
    ['of a child', (log, error) => log.child({ requestId: 'r1' }).error({ err: error }, 'drain failed')],
  ])('of PostgreSQL keeps message, code and stack, and nothing that quotes rows: %s', (_, write) => {
    const { text, entries } = logged((log) => write(log, databaseError()));
    expect(text).not.toContain('s3cret');
    expect(text).toContain('violates unique constraint');
    expect(text).toContain('23505');
    expect(text).toContain('log.test.ts');
    expect(entries).toMatchObject([{ msg: 'drain failed', err: { stack: expect.any(String) } }]);
  });

  it('may be any value that was thrown', () => {
    const { entries } = logged((log) => log.error({ err: 'just text' }, 'failed'));
    expect(entries).toMatchObject([{ err: 'just text', msg: 'failed' }]);
  });
});
