/** Something did not come in the time that its caller gives it. What was asked for goes on alone. */
export class Late extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Late';
  }
}

/** Returns what `waiting` resolves to, or throws a Late with this message after `patienceMs`. */
export async function inTime<Result>(waiting: Promise<Result>, patienceMs: number, message: string): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Late(message)), patienceMs);
  try {
    return await Promise.race([waiting, late]);
  } finally {
    clearTimeout(timer);
    waiting.catch(() => {});
  }
}
