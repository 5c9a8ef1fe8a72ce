import { SingleBar } from 'cli-progress';

/** A progress bar on standard error, where that is a terminal; it draws nothing elsewhere. */
export class Progress {
  #bar: SingleBar | undefined;

  /** Draws how far it is. */
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
      // That would take Ctrl-C away from the command.
      gracefulExit: false,
    });
    bar.start(total, finished);
    process.once('exit', this.stop);
    return bar;
  }

  /** Gives the terminal back as it was: the cursor, and lines that wrap. */
  readonly stop = (): void => {
    process.off('exit', this.stop);
    this.#bar?.stop();
    this.#bar = undefined;
  };
}
