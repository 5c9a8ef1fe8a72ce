import { PassThrough } from 'node:stream';
import { Refusal } from '@lockstep/contract';
import { describe, expect, it } from 'vitest';
import { type BodyPlace, BodyRoom } from './body-room.ts';
import { ClientLeft, receiveBody } from './receive-body.ts';

const unlimited = { maxBytes: 1_000, declaredBytes: undefined };
const newPlace = () => new BodyRoom().begin('a');

describe('a body', () => {
  it.each([undefined, 6])('is there when it has come in whole, its length known or not: %s', async (declaredBytes) => {
    const stream = new PassThrough();
    const body = receiveBody(stream, { place: newPlace(), maxBytes: 6, declaredBytes });
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
    const body = receiveBody(new PassThrough(), { place: newPlace(), maxBytes: 5, declaredBytes: 6 });
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

  it('must go on coming', async () => {
    const limits = { graceMs: 20, minBytesPerSecond: 1_000, lookEveryMs: 1 };
    const body = receiveBody(new PassThrough(), { ...unlimited, place: newPlace() }, limits);
    await expect(body).rejects.toThrow(new Refusal('request_timeout'));
  });

  it('has longer the more of it has come', async () => {
    const limits = { graceMs: 0, minBytesPerSecond: 0.001, lookEveryMs: 1 };
    const stream = new PassThrough();
    stream.write('a');
    const body = receiveBody(stream, { ...unlimited, place: newPlace() }, limits);
    // It is looked at a hundred times; one byte is good for a thousand seconds.
    await new Promise((resolve) => setTimeout(resolve, 100));
    stream.end('b');
    expect(String(await body)).toBe('ab');
  });

  it('has time that does not count while it waits for room, and is not read meanwhile', async () => {
    const waiting: (() => void)[] = [];
    const place = { take: () => new Promise<void>((resolve) => waiting.push(resolve)) } as unknown as BodyPlace;
    const stream = new PassThrough();
    const limits = { graceMs: 50, minBytesPerSecond: Number.POSITIVE_INFINITY, lookEveryMs: 1 };
    const body = receiveBody(stream, { ...unlimited, place }, limits);
    stream.write('abc');
    await expect.poll(() => waiting.length).toBe(1);
    stream.end('def');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(waiting).toHaveLength(1);
    waiting[0]!();
    await expect.poll(() => waiting.length).toBe(2);
    waiting[1]!();
    expect(String(await body)).toBe('abcdef');
  });
});
