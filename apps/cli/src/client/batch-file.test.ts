import { describe, expect, it } from 'vitest';
import { parseBatch } from './batch-file.ts';

const BATCH = '{"channelCode": "web", "channelOrderId": "WEB-1", "orderList": [{"customerName": "Café 東"}]}';
const read = (content: string | Buffer<ArrayBuffer>) => parseBatch(Buffer.from(content as string), 'orders.json');

describe('a batch file', () => {
  it('is sent unchanged', () => {
    expect(read(BATCH)).toEqual({ bytes: Buffer.from(BATCH), channelCode: 'web', channelOrderId: 'WEB-1' });
  });

  it('may begin with a byte order mark, which is removed', () => {
    expect(read(`\uFEFF${BATCH}`)).toEqual(read(BATCH));
  });

  it.each<[what: string, content: string | Buffer<ArrayBuffer>, message: string]>([
    ['UTF-16', Buffer.from(`\uFEFF${BATCH}`, 'utf16le'), 'orders.json is UTF-16. Save it as UTF-8.'],
    ['UTF-16, big-endian', Buffer.from([0xfe, 0xff, 0, 0x7b]), 'orders.json is UTF-16. Save it as UTF-8.'],
    ['Latin-1', Buffer.from('{"name": "Café"}', 'latin1'), 'orders.json is not UTF-8. Save it as UTF-8.'],
    ['nothing', ' \n', 'orders.json is empty.'],
    ['a mark alone', '\uFEFF', 'orders.json is empty.'],
    ['no JSON', '# Orders', 'orders.json is not JSON: Unexpected token \'#\', "# Orders" is not valid JSON.'],
    ['two marks', `\uFEFF\uFEFF${BATCH}`, 'orders.json is not JSON: '],
    ['a list', '[]', 'orders.json is not a batch of orders: '],
    ['null', 'null', 'orders.json is not a batch of orders: '],
    ['a batch without channelOrderId', '{"channelCode": "web"}', 'orders.json is not a batch of orders: '],
    ['a channelOrderId that is a number', '{"channelCode": "web", "channelOrderId": 1}', 'the strings channelCode and'],
  ])('is refused where it is %s', (_, content, message) => {
    expect(() => read(content)).toThrow(message);
  });
});
