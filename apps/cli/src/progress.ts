import { SingleBar } from 'cli-progress';

/** A progress bar on standard error; it draws nothing if that is no terminal. */
export class Progress {
  #bar: SingleBar | undefined;

  /** Draws the bar. Both numbers are orders. */
  show(finished: number, total: number): void {
    if (!process.stderr.isTTY || process.env.TERM === 'dumb') return;
    if (this.#bar === undefined) this.#bar = this.#start(finished, total);
    else this.#bar.update(finished);
  }

  #start(finished: number, total: number): SingleBar {
    const bar = new SingleBar({
      format: '{bar} {value}/{total} orders',
      hideCursor: true,
      stream: process.stderr,
      // It would handle Ctrl-C itself, and the command would not get it.
      gracefulExit: false,
    });
    bar.start(total, finished);
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
