import type { Measure } from './measure.ts';
import { floorMeasures } from './measure-floor.ts';
import { orderMeasures } from './measure-orders.ts';
import { peerMeasures } from './measure-peers.ts';

/** All measures, in the order in which a round takes them. */
export const measures: Measure[] = [...floorMeasures, ...orderMeasures, ...peerMeasures];
