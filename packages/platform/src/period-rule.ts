/** A period of time whose rows lie in partitions of their own. */
export interface Period {
  number: number;
  beganTime: Date;
}

/** Whether the next period is due: a month (UTC) has begun since this one did. A clock that was set back begins none. */
export function isOver({ beganTime }: Period, now: Date): boolean {
  return monthOf(now) > monthOf(beganTime);
}

const monthOf = (time: Date) => time.getUTCFullYear() * 12 + time.getUTCMonth();
