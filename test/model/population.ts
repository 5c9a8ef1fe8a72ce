import {
  type ChannelLabel,
  CUSTOMERS,
  EMPLOYEES,
  type HistoryEvent,
  isAct,
  LATE_CUSTOMER,
  type Names,
  namedAct,
  SENDERS,
} from './history.ts';
import { type Limits, Model } from './model.ts';

/** The customers of a history and the channels of its applications. Passes events on to the model. */
export class Population {
  readonly model: Model;
  readonly #names: Names;

  constructor(names: Names, limits?: Limits) {
    this.model = new Model(limits);
    this.#names = names;
    for (const [label, enterprise] of Object.entries(EMPLOYEES)) this.model.hire(names.id(label), names.id(enterprise));
    for (const label of Object.keys(CUSTOMERS)) if (label !== LATE_CUSTOMER) this.#create(label);
    for (const [sender, channels] of Object.entries<ChannelLabel[] | null>(SENDERS)) this.model.bind(sender, channels);
  }

  /** Applies an event. Returns the answer to an act. */
  happen(event: HistoryEvent): unknown {
    if (isAct(event)) return this.model.act(namedAct(event, this.#names));
    if (event.type === 'create') return this.#create(LATE_CUSTOMER);
    if (event.type === 'bind') return this.model.bind(event.sender, event.channels);
    if (event.type === 'pause') return this.model.pause(event.channel);
    return this.model.resume(event.channel);
  }

  #create(label: string): void {
    const { enterprise, channel } = CUSTOMERS[label as keyof typeof CUSTOMERS];
    this.model.create(this.#names.id(label), { enterprise: this.#names.id(enterprise), channel });
  }
}
