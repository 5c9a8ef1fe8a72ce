import { run, type Statement, type Trx } from '@lockstep/platform';

/** Rows that one draw from the sequence ledger_id is good for; its increment in the migration. */
const IDS_PER_BLOCK = 1_000;

const drawingBlocks = (blocks: number): Statement<{ id: string }> => ({
  name: 'draw_ledger_ids',
  text: "select nextval('ledger_id') as id from generate_series(1, $1::int)",
  values: [blocks],
});

/**
 * Hands out ids for new assets, merchandises and products, in blocks that no other process has. What a crash leaves
 * over of a block is a gap.
 */
export class LedgerIds {
  #spare: { next: bigint; left: number }[] = [];

  /** Takes `count` ids that nobody else gets. What it drew stays drawn if the transaction rolls back. */
  async take(trx: Trx, count: number): Promise<string[]> {
    for (let missing = count - this.#countLeft(); missing > 0; missing = count - this.#countLeft()) {
      const blocks = Math.ceil(missing / IDS_PER_BLOCK);
      const rows = await run(trx, drawingBlocks(blocks));
      this.#spare.push(...rows.map(({ id }) => ({ next: BigInt(id), left: IDS_PER_BLOCK })));
    }
    return Array.from({ length: count }, () => this.#takeOne());
  }

  #countLeft(): number {
    return this.#spare.reduce((sum, block) => sum + block.left, 0);
  }

  #takeOne(): string {
    const block = this.#spare[0]!;
    if (--block.left === 0) this.#spare.shift();
    return String(block.next++);
  }
}
