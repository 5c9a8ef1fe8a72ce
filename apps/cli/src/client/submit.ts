import { describeBatch } from '../output/outcomes.ts';
import { Progress } from '../output/progress.ts';
import { endOnSignals, say, sayAside } from '../output/terminal.ts';
import { readBatchFile } from './batch-file.ts';
import type { OrderClient } from './client.ts';
import { type BatchKey, type OutcomeOptions, showOutcome, watchBatch } from './outcome.ts';

/** A batch to send, and the key by which the service knows it. */
export interface BatchToSend extends BatchKey {
  /** The JSON, UTF-8. */
  bytes: Buffer<ArrayBuffer>;
}

export async function submitFile(client: OrderClient, file: string, options: OutcomeOptions): Promise<void> {
  await submit(client, () => readBatchFile(file), options);
}

/**
 * Sends a batch, waits until it is completed, and shows its outcome.
 * @param readBatch reads the batch; returns undefined if there is nothing to send
 * @throws if the batch is refused, or if its outcome cannot be read; then a second line says what became of the batch
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
  whereabouts = `${describeBatch(key)} was sent and may have been accepted. Run the command again to find out; submitting is idempotent.`;
  const { length } = await client.call('createBatchOrder', { query: { appKey: client.appKey }, body: bytes });
  whereabouts = `${describeBatch(key)} was accepted and continues. Run the command again to watch it, or get its result from ${client.batchResultUrl(key)}`;
  const tell = options.json ? sayAside : say;
  tell(`${describeBatch(key)}: ${length} ${length === 1 ? 'order' : 'orders'} accepted`);
  try {
    await showOutcome(client, await watchBatch(client, key, progress), options);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${whereabouts}`, { cause: error });
  }
}
