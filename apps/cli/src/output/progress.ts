import type { BatchResult } from '@lockstep/contract';
import { SingleBar } from 'cli-progress';
import { formatTime } from './table.ts';

/** A progress bar on standard error; it draws nothing if that is no terminal. */
export class Progress {
  #bar: SingleBar | undefined;

  /** Draws the bar: how much of a batch is done, and when it should be completed. */
  show({ succeeded, failed, total, estimatedCompletionTime }: BatchResult): void {
    if (!process.stderr.isTTY || process.env.TERM === 'dumb') return;
    const end = estimatedCompletionTime === null ? '' : `, expected by ${formatTime(estimatedCompletionTime)}`;
    this.#bar ??= this.#start(total);
    this.#bar.update(succeeded + failed, { end });
  }

  #start(total: number): SingleBar {
    const bar = new SingleBar({
      format: '{bar} {value}/{total} orders{end}',
      hideCursor: true,
      stream: process.stderr,
      // It would handle Ctrl-C itself, and the command would not get it.
      gracefulExit: false,
    });
    bar.start(total, 0, { end: '' });
    process.once('exit', this.stop);
    return bar;
  }

  /** Restores the terminal: the cursor, and lines that wrap. */
  readonly stop = (): void => {
    process.off('exit', this.stop);
    this.#bar?.stop();
    this.#bar = undefined;
  };
}
