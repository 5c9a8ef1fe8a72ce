import { describe, expect, it } from 'vitest';
import { parseBatch } from './batch-file.ts';

const BATCH = '{"channelCode": "web", "channelOrderId": "WEB-1", "orderList": [{"customerName": "Café 東"}]}';
const read = (content: string | Buffer<ArrayBuffer>) => parseBatch(Buffer.from(content as string), 'orders.json');

describe('a batch file', () => {
  it.each(['', '\uFEFF'])('has the key of a batch, and may begin with a byte order mark: %j', (mark) => {
    expect(read(mark + BATCH)).toEqual({ channelCode: 'web', channelOrderId: 'WEB-1' });
  });

  it.each<[what: string, content: string | Buffer<ArrayBuffer>, reason: string]>([
    ['UTF-16', Buffer.from(`\uFEFF${BATCH}`, 'utf16le'), 'UTF-16'],
    ['big-endian UTF-16', Buffer.from([0xfe, 0xff, 0, 0x7b]), 'UTF-16'],
    ['Latin-1', Buffer.from('{"name": "Café"}', 'latin1'), 'UTF-8'],
    ['empty', ' \n', 'empty'],
    ['only a byte order mark', '\uFEFF', 'empty'],
    ['not JSON', '{\n  # Orders', 'line 2, column 3.*"#"'],
    ['behind two byte order marks', `\uFEFF\uFEFF${BATCH}`, 'line 1, column 1.*U\\+F'],
    ['a batch with a repeated key', `${BATCH.slice(0, -2)}, {"a": 1, "\\u0061": 2}]}`, 'orderList\\[1\\]\\.'],
    ['a list', '[]', 'channelOrderId'],
    ['null', 'null', 'channelOrderId'],
    ['a batch without channelOrderId', '{"channelCode": "web"}', 'channelOrderId'],
    ['a batch whose channelOrderId is a number', '{"channelCode": "web", "channelOrderId": 1}', 'channelOrderId'],
  ])('is refused if it is %s', (_, content, reason) => {
    const message = expect.stringMatching(new RegExp(`^orders\\.json\\b.*${reason}`));
    expect(() => read(content)).toThrow(expect.objectContaining({ kind: 'usage', message }));
  });
});
