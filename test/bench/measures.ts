import type { Measure } from './measure.ts';
import { backlogMeasures } from './measure-backlog.ts';
import { distanceMeasures } from './measure-distance.ts';
import { fairnessMeasures } from './measure-fairness.ts';
import { filledMeasures } from './measure-filled.ts';
import { floorMeasures } from './measure-floor.ts';
import { latencyMeasures } from './measure-latency.ts';
import { limitsMemoryMeasure } from './measure-limits.ts';
import { memoryMeasure } from './measure-memory.ts';
import { neighborMeasures } from './measure-neighbors.ts';
import { orderMeasures } from './measure-orders.ts';
import { peerMeasures } from './measure-peers.ts';
import { pollMeasures } from './measure-polls.ts';
import { singlesMeasure } from './measure-singles.ts';
import { webhookMeasures } from './measure-webhooks.ts';

/** All measures, in the order in which a round takes them. */
export const measures: Measure[] = [
  ...floorMeasures,
  ...orderMeasures,
  ...distanceMeasures,
  ...backlogMeasures,
  singlesMeasure,
  ...fairnessMeasures,
  ...peerMeasures,
  ...latencyMeasures,
  ...pollMeasures,
  ...webhookMeasures,
  memoryMeasure,
  limitsMemoryMeasure,
  ...neighborMeasures,
  ...filledMeasures,
];
