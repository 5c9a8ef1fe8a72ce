import { describeBatch } from '../output/outcomes.ts';
import { Progress } from '../output/progress.ts';
import { endOnSignals, say, sayAside } from '../output/terminal.ts';
import { readBatchFile } from './batch-file.ts';
import type { OrderClient } from './client.ts';
import { type BatchKey, type OutcomeOptions, showOutcome, watchBatch } from './outcome.ts';

/** A batch that is to be sent, and the key by which the service knows it. */
export interface BatchToSend extends BatchKey {
  /** The JSON, UTF-8. */
  bytes: Buffer<ArrayBuffer>;
}

export async function submitFile(client: OrderClient, file: string, options: OutcomeOptions): Promise<void> {
  await submit(client, () => readBatchFile(file), options);
}

/**
 * Sends a batch, watches it until every order has its outcome, and shows that.
 * @param readBatch reads the batch; undefined if there is nothing to send
 * @throws Error of one line or two when the batch is refused, or its outcome cannot be read
 */
export async function submit(
  client: OrderClient,
  readBatch: () => Promise<BatchToSend | undefined>,
  options: OutcomeOptions,
): Promise<void> {
  const progress = new Progress();
  let whereabouts = 'Nothing was sent.';
  endOnSignals(() => {
    progress.stop();
    return `Stopped. ${whereabouts}`;
  });
  const batch = await readBatch();
  if (batch === undefined) return;
  const { bytes, ...key } = batch;
  await client.logIn();
  whereabouts = `${describeBatch(key)} was sent and may have been accepted. Run the same command again to see; nothing is done twice.`;
  const { length } = await client.call('createBatchOrder', { query: { appKey: client.appKey }, body: bytes });
  whereabouts = `${describeBatch(key)} is accepted and goes on. Run the same command again to watch it; nothing is done twice. Or ask ${client.batchResultUrl(key)}`;
  const tell = options.json ? sayAside : say;
  tell(`${describeBatch(key)}: ${length} ${length === 1 ? 'order' : 'orders'} accepted`);
  try {
    await showOutcome(client, await watchBatch(client, key, progress), options);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${whereabouts}`, { cause: error });
  }
}
