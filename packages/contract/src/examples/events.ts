import { success } from '../envelope.ts';
import { exampleBatches } from './batches.ts';
import { type ExamplesOf, refused, TIME } from './operation.ts';

const { channelCode, channelOrderId } = exampleBatches.new_buy;

export const getEvents: ExamplesOf<'getEvents'> = {
  answers: {
    200: {
      new_buy: {
        summary: 'The end of the batch new_buy of O5',
        value: success({
          events: [
            {
              id: '1',
              type: 'batch.completed',
              time: TIME,
              data: {
                channelCode,
                channelOrderId,
                syncMode: 'async',
                state: 'completed',
                total: 1,
                succeeded: 1,
                failed: 0,
                pending: 0,
                held: 0,
                acceptedTime: TIME,
                completedTime: TIME,
                cancelled: 0,
              },
            },
          ],
          lastId: '1',
          hasMore: false,
        }),
      },
    },
    299: refused('A parameter is wrong', 'field_invalid', 'after', 'must be 1 to 19 decimal digits'),
  },
};
