import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verify, type WebhookError } from './webhooks.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const other = `whsec_${randomBytes(32).toString('base64')}`;
const body = JSON.stringify({ id: '7', type: 'batch.completed', data: { channelCode: 'büro' } });

/** A message as another implementation of Standard Webhooks signs it. */
function sign(signedBy = secret, { text = body, ageMs = 0 } = {}) {
  const time = new Date(Date.now() - ageMs);
  return {
    'webhook-id': '7',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': new Webhook(signedBy).sign('7', time, text),
  };
}
const faultOf = async (checked: Promise<unknown>) =>
  (
    (await checked.then(
      () => undefined,
      (error) => error,
    )) as WebhookError | undefined
  )?.cause;

describe('a message', () => {
  it('is genuine as text and as bytes, with headers of Node.js and of fetch, twice too', async () => {
    const headers = sign();
    expect(await verify(body, headers, secret)).toEqual(JSON.parse(body));
    expect(await verify(new TextEncoder().encode(body), new Headers(headers), secret)).toEqual(JSON.parse(body));
    expect((await verify(body, headers, secret)).id).toBe('7');
  });

  it('is genuine if one of its signatures is made with one of the secrets', async () => {
    const headers = { ...sign(), 'webhook-signature': `v1,AAAA v2,x ${sign(other)['webhook-signature']}` };
    expect(await verify(body, headers, [secret, other])).toEqual(JSON.parse(body));
    expect(await faultOf(verify(body, headers, secret))).toBe('signature_wrong');
  });

  it.each<[what: string, text: string, headers: Record<string, string | undefined>, fault: string]>([
    ['signed by another', body, sign(other), 'signature_wrong'],
    ['with another body', `${body} `, sign(), 'signature_wrong'],
    ['with another id', body, { ...sign(), 'webhook-id': '8' }, 'signature_wrong'],
    [
      'with a new time',
      body,
      { ...sign(), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 9) },
      'signature_wrong',
    ],
    ['without base64', body, { ...sign(), 'webhook-signature': 'v1,%%% v1,' }, 'signature_wrong'],
    ['of six minutes ago', body, sign(secret, { ageMs: 360_000 }), 'time_differs'],
    ['from a clock that is an hour ahead', body, sign(secret, { ageMs: -3_600_000 }), 'time_differs'],
    ['without a time', body, { ...sign(), 'webhook-timestamp': 'now' }, 'time_differs'],
    ['without a signature', body, { ...sign(), 'webhook-signature': undefined }, 'headers_missing'],
    ['that is no JSON', 'no', sign(secret, { text: 'no' }), 'body_malformed'],
  ])('%s is refused', async (_, text, headers, fault) => {
    expect(await faultOf(verify(text, headers, secret))).toBe(fault);
  });

  it.each(['', 'whsec_', 'whsec_AAAA', 'whsec_%'])('is not checked with the secret %j', async (wrong) => {
    await expect(verify(body, sign(), wrong)).rejects.toThrow(TypeError);
  });

  it.each<[what: string, body: unknown, secret: unknown]>([
    ['a parsed body', JSON.parse(body), secret],
    ['no secret', body, undefined],
    ['an empty list of secrets', body, []],
  ])('is not checked with %s, and the error says so', async (_, given, wrong) => {
    await expect(verify(given as string, sign(), wrong as string)).rejects.toThrow(TypeError);
  });
});
