import { PassThrough } from 'node:stream';
import { Refusal } from '@lockstep/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientLeft, receiveBody } from './bodies.ts';
import { BodyMemory, type BodyReservation } from './body-memory.ts';

const MEBIBYTE = 1024 * 1024;
const unlimited = { maxBytes: 1_000, declaredBytes: undefined, endMs: () => Number.POSITIVE_INFINITY };
const newReservation = () => new BodyMemory().begin('a');

/** Waits until everything has run that does not wait for a timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a body', () => {
  it.each([undefined, 6])('is received whole, whether its length is declared or not: %s', async (declaredBytes) => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, reservation: newReservation(), maxBytes: 6, declaredBytes });
    stream.write('abc');
    stream.end('def');
    expect(String(await body)).toBe('abcdef');
  });

  it('is refused as soon as it is too long', async () => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { ...unlimited, reservation: newReservation(), maxBytes: 5 });
    stream.write('abcdef');
    await expect(body).rejects.toThrow(new Refusal('body_too_large', 5));
    // What arrives then is dropped, so that the client can write until it reads its answer.
    for (let each = 0; each < 100; each++) stream.write(Buffer.alloc(100_000));
    await expect.poll(() => stream.readableLength).toBe(0);
  });

  it('is refused at once if its declared length is too long', async () => {
    const body = receiveBody(new PassThrough(), {
      ...unlimited,
      reservation: newReservation(),
      maxBytes: 5,
      declaredBytes: 6,
    });
    await expect(body).rejects.toThrow(new Refusal('body_too_large', 5));
  });

  it('is abandoned if its client disconnects, before or during reading', async () => {
    const gone = new PassThrough();
    gone.destroy();
    await expect(receiveBody(gone, { ...unlimited, reservation: newReservation() })).rejects.toThrow(ClientLeft);
    const leaving = new PassThrough();
    const body = receiveBody(leaving, { ...unlimited, reservation: newReservation() });
    leaving.write('abc');
    leaving.destroy(new Error('aborted'));
    await expect(body).rejects.toThrow(ClientLeft);
  });

  describe('with a fake clock', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    it('must keep arriving', async () => {
      const body = receiveBody(new PassThrough(), { ...unlimited, reservation: newReservation() });
      vi.advanceTimersByTime(11_000);
      await expect(body).rejects.toThrow(new Refusal('request_timeout'));
    });

    it('has more time the more of it has arrived', async () => {
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, maxBytes: 2 * MEBIBYTE, reservation: newReservation() });
      stream.write(Buffer.alloc(MEBIBYTE));
      await settled();
      // A mebibyte adds four seconds.
      vi.advanceTimersByTime(14_000);
      stream.end('b');
      expect(await body).toHaveLength(MEBIBYTE + 1);
    });

    it('is refused when its time is used up', async () => {
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, maxBytes: 2 * MEBIBYTE, reservation: newReservation() });
      stream.write(Buffer.alloc(MEBIBYTE));
      await settled();
      vi.advanceTimersByTime(15_000);
      await expect(body).rejects.toThrow(new Refusal('request_timeout'));
    });

    it('is refused while it arrives or waits for memory if the process stops waiting', async () => {
      const endMs = () => performance.now() - 1;
      const coming = receiveBody(new PassThrough(), { ...unlimited, reservation: newReservation(), endMs });
      const stream = new PassThrough();
      const reservation = { take: () => new Promise<void>(() => {}) } as unknown as BodyReservation;
      const waiting = receiveBody(stream, { ...unlimited, reservation, endMs });
      stream.write('abc');
      await settled();
      vi.advanceTimersByTime(1_000);
      for (const body of [coming, waiting]) await expect(body).rejects.toThrow(new Refusal('service_unavailable'));
    });

    it('is neither read nor timed while it waits for memory', async () => {
      const waiting: (() => void)[] = [];
      const reservation = {
        take: () => new Promise<void>((resolve) => waiting.push(resolve)),
      } as unknown as BodyReservation;
      const stream = new PassThrough();
      const body = receiveBody(stream, { ...unlimited, reservation });
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
