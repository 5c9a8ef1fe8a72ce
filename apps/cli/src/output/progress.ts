import type { BatchResult } from '@lockstep/contract';
import { SingleBar } from 'cli-progress';
import { formatTime } from './table.ts';

/** A progress bar on standard error. It draws nothing if standard error is not a terminal. */
export class Progress {
  #bar: SingleBar | undefined;

  /** Draws how many orders have an outcome, and when the batch should be completed. */
  show({ succeeded, failed, total, estimatedCompletionTime }: BatchResult): void {
    if (!process.stderr.isTTY || process.env.TERM === 'dumb') return;
    const end = estimatedCompletionTime === null ? '' : `, expected by ${formatTime(estimatedCompletionTime)}`;
    // The bar writes to the terminal itself, so it gets nothing but numbers and times.
    this.#bar ??= this.#start(Number(total));
    this.#bar.update(Number(succeeded) + Number(failed), { end });
  }

  #start(total: number): SingleBar {
    const bar = new SingleBar({
      format: '{bar} {value}/{total} orders{end}',
      hideCursor: true,
      stream: process.stderr,
      // Otherwise the bar would handle Ctrl-C, and the command would not see it.
      gracefulExit: false,
    });
    bar.start(total, 0, { end: '' });
    process.once('exit', this.stop);
    return bar;
  }

  /** Removes the bar, and restores the cursor and the line wrapping of the terminal. */
  readonly stop = (): void => {
    process.off('exit', this.stop);
    this.#bar?.stop();
    this.#bar = undefined;
  };
}
