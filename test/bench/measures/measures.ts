import { backlogMeasures } from './backlog.ts';
import { channelMeasures } from './channels.ts';
import { distanceMeasures } from './distance.ts';
import { fairnessMeasures } from './fairness.ts';
import { filledMeasures } from './filled.ts';
import { floorMeasures } from './floor.ts';
import { latencyMeasures } from './latency.ts';
import { limitsMemoryMeasure } from './limits.ts';
import type { Measure } from './measure.ts';
import { memoryMeasure } from './memory.ts';
import { neighborMeasures } from './neighbors.ts';
import { orderMeasures } from './orders.ts';
import { peerMeasures } from './peers.ts';
import { pollMeasures } from './polls.ts';
import { singlesMeasure } from './singles.ts';
import { webhookMeasures } from './webhooks.ts';

/** All measures, in the order of a round. */
export const measures: Measure[] = [
  ...floorMeasures,
  ...orderMeasures,
  ...distanceMeasures,
  ...backlogMeasures,
  singlesMeasure,
  ...fairnessMeasures,
  ...channelMeasures,
  ...peerMeasures,
  ...latencyMeasures,
  ...pollMeasures,
  ...webhookMeasures,
  memoryMeasure,
  limitsMemoryMeasure,
  ...neighborMeasures,
  ...filledMeasures,
];
