import { PassThrough } from 'node:stream';
import { Refusal } from '@lockstep/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientLeft, receiveBody } from './bodies.ts';
import { type BodyPlace, BodyRoom } from './room.ts';

const MEBIBYTE = 1024 * 1024;
const unlimited = { maxBytes: 1_000, declaredBytes: undefined, endMs: () => Number.POSITIVE_INFINITY };
const newPlace = () => new BodyRoom().begin('a');

/** Lets everything run that is not waiting for time to pass. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a body', () => {
  it.each([undefined, 6])('is there when it has come in whole, its length known or not: %s', async (declaredBytes) => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, place: newPlace(), maxBytes: 6, declaredBytes });
    stream.write('abc');
    stream.end('def');
    expect(String(await body)).toBe('abcdef');
  });

  it('is refused as soon as it is too long', async () => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, place: newPlace(), maxBytes: 5 });
    stream.write('abcdef');
    await expect(body).rejects.toThrow(new Refusal('body_too_large', 5));
    // What comes then is dropped, so that the client can go on writing until it reads its answer.
    for (let each = 0; each < 100; each++) stream.write(Buffer.alloc(100_000));
    await expect.poll(() => stream.readableLength).toBe(0);
  });

  it('is refused before it comes where it says that it is too long', async () => {
    const body = receiveBody(new PassThrough(), { ...unlimited, place: newPlace(), maxBytes: 5, declaredBytes: 6 });
    await expect(body).rejects.toThrow(new Refusal('body_too_large', 5));
  });

  it('of a client that leaves is no more, before it is read and in the middle', async () => {
    const gone = new PassThrough();
    gone.destroy();
    await expect(receiveBody(gone, { ...unlimited, place: newPlace() })).rejects.toThrow(ClientLeft);
    const leaving = new PassThrough();
    const body = receiveBody(leaving, { ...unlimited, place: newPlace() });
    leaving.write('abc');
    leaving.destroy(new Error('aborted'));
    await expect(body).rejects.toThrow(ClientLeft);
  });

  describe('on a clock that the test sets', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    it('must go on coming', async () => {
      const body = receiveBody(new PassThrough(), { ...unlimited, place: newPlace() });
      vi.advanceTimersByTime(11_000);
      await expect(body).rejects.toThrow(new Refusal('request_timeout'));
    });

    it('has longer the more of it has come', async () => {
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, maxBytes: 2 * MEBIBYTE, place: newPlace() });
      stream.write(Buffer.alloc(MEBIBYTE));
      await settled();
      // Four seconds more for a mebibyte.
      vi.advanceTimersByTime(14_000);
      stream.end('b');
      expect(await body).toHaveLength(MEBIBYTE + 1);
    });

    it('is refused where what has come gives it no more time', async () => {
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, maxBytes: 2 * MEBIBYTE, place: newPlace() });
      stream.write(Buffer.alloc(MEBIBYTE));
      await settled();
      vi.advanceTimersByTime(15_000);
      await expect(body).rejects.toThrow(new Refusal('request_timeout'));
    });

    it('is refused while it comes or waits for room, once the process no longer waits for it', async () => {
      const endMs = () => performance.now() - 1;
      const coming = receiveBody(new PassThrough(), { ...unlimited, place: newPlace(), endMs });
      const stream = new PassThrough();
      const place = { take: () => new Promise<void>(() => {}) } as unknown as BodyPlace;
      const waiting = receiveBody(stream, { ...unlimited, place, endMs });
      stream.write('abc');
      await settled();
      vi.advanceTimersByTime(1_000);
      for (const body of [coming, waiting]) await expect(body).rejects.toThrow(new Refusal('service_unavailable'));
    });

    it('has time that does not count while it waits for room, and is not read meanwhile', async () => {
      const waiting: (() => void)[] = [];
      const place = { take: () => new Promise<void>((resolve) => waiting.push(resolve)) } as unknown as BodyPlace;
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, place });
      stream.write('abc');
      await settled();
      expect(waiting).toHaveLength(1);
      stream.end('def');
      vi.advanceTimersByTime(60_000);
      expect(waiting).toHaveLength(1);
      waiting[0]!();
      await settled();
      expect(waiting).toHaveLength(2);
      waiting[1]!();
      expect(String(await body)).toBe('abcdef');
    });
  });
});
