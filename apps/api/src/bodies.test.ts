import { PassThrough } from 'node:stream';
import { Refusal } from '@lockstep/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BytesInFlight, ClientLeft, receiveBody } from './bodies.ts';

const MEBIBYTE = 1024 * 1024;
const unlimited = { take: () => {}, maxBytes: 1_000, declaredBytes: undefined, endMs: () => Number.POSITIVE_INFINITY };

/** Waits until everything has run that does not wait for a timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a body', () => {
  it.each([undefined, 6])('is received whole, whether its length is declared or not: %s', async (declaredBytes) => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, maxBytes: 6, declaredBytes });
    stream.write('abc');
    stream.end('def');
    expect(String(await body)).toBe('abcdef');
  });

  it('is refused as soon as it is too long', async () => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, maxBytes: 5 });
    stream.write('abcdef');
    await expect(body).rejects.toThrow(new Refusal('body_too_large', 5));
    // What arrives then is dropped, so that the client can write until it reads its answer.
    for (let each = 0; each < 100; each++) stream.write(Buffer.alloc(100_000));
    await expect.poll(() => stream.readableLength).toBe(0);
  });

  it('is refused at once if its declared length is too long', async () => {
    const body = receiveBody(new PassThrough(), {
      ...unlimited,
      maxBytes: 5,
      declaredBytes: 6,
    });
    await expect(body).rejects.toThrow(new Refusal('body_too_large', 5));
  });

  it('is refused as soon as it does not fit', async () => {
    const take = () => {
      throw new Refusal('overloaded');
    };
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, take });
    stream.write('abc');
    await expect(body).rejects.toThrow(new Refusal('overloaded'));
  });

  it('is abandoned if its client disconnects, before or during reading', async () => {
    const gone = new PassThrough();
    gone.destroy();
    await expect(receiveBody(gone, { ...unlimited })).rejects.toThrow(ClientLeft);
    const leaving = new PassThrough();
    const body = receiveBody(leaving, { ...unlimited });
    leaving.write('abc');
    leaving.destroy(new Error('aborted'));
    await expect(body).rejects.toThrow(ClientLeft);
  });

  describe('with a fake clock', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    it('must keep arriving', async () => {
      const body = receiveBody(new PassThrough(), { ...unlimited });
      vi.advanceTimersByTime(11_000);
      await expect(body).rejects.toThrow(new Refusal('request_timeout'));
    });

    it('has more time the more of it has arrived', async () => {
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, maxBytes: 2 * MEBIBYTE });
      stream.write(Buffer.alloc(MEBIBYTE));
      await settled();
      // A mebibyte adds four seconds.
      vi.advanceTimersByTime(14_000);
      stream.end('b');
      expect(await body).toHaveLength(MEBIBYTE + 1);
    });

    it('is refused when its time is used up', async () => {
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, maxBytes: 2 * MEBIBYTE });
      stream.write(Buffer.alloc(MEBIBYTE));
      await settled();
      vi.advanceTimersByTime(15_000);
      await expect(body).rejects.toThrow(new Refusal('request_timeout'));
    });

    it('is refused while it arrives if the process stops waiting', async () => {
      const endMs = () => performance.now() - 1;
      const body = receiveBody(new PassThrough(), { ...unlimited, endMs });
      vi.advanceTimersByTime(1_000);
      await expect(body).rejects.toThrow(new Refusal('service_unavailable'));
    });
  });
});

const overloaded = new Refusal('overloaded');

it('a party takes no more than its share, and gets it again when it releases it', () => {
  const inFlight = new BytesInFlight();
  inFlight.take('a', 30 * MEBIBYTE);
  inFlight.take('a', 2 * MEBIBYTE);
  expect(() => inFlight.take('a', 1)).toThrow(overloaded);
  inFlight.take('b', 1);
  inFlight.release('a', 2 * MEBIBYTE);
  inFlight.take('a', MEBIBYTE);
});

it('all parties together take no more than the process has', () => {
  const inFlight = new BytesInFlight();
  for (const party of ['a', 'b']) inFlight.take(party, 32 * MEBIBYTE);
  expect(() => inFlight.take('c', 1)).toThrow(overloaded);
  inFlight.release('a', 32 * MEBIBYTE);
  inFlight.take('c', 32 * MEBIBYTE);
});
