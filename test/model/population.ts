import { type ChannelLabel, CUSTOMERS, type HistoryEvent, LATE_CUSTOMER, SENDERS } from './history.ts';
import { type Limits, Model } from './model.ts';

/** The customers of a history and the channels of its applications. Passes events on to the model. */
export class Population {
  readonly model: Model;
  readonly #idOf: (label: string) => string;

  /** `idOf` returns the id of a customer or enterprise by its label. */
  constructor(idOf: (label: string) => string, limits?: Limits) {
    this.model = new Model(limits);
    this.#idOf = idOf;
    for (const label of Object.keys(CUSTOMERS)) if (label !== LATE_CUSTOMER) this.#create(label);
    for (const [sender, channels] of Object.entries<ChannelLabel[] | null>(SENDERS)) this.model.bind(sender, channels);
  }

  happen(event: HistoryEvent): void {
    if (event.type === 'create') this.#create(LATE_CUSTOMER);
    if (event.type === 'bind') this.model.bind(event.sender, event.channels);
    if (event.type === 'pause') this.model.pause(event.channel);
    if (event.type === 'resume') this.model.resume(event.channel);
  }

  #create(label: string): void {
    const { enterprise, channel } = CUSTOMERS[label as keyof typeof CUSTOMERS];
    this.model.create(this.#idOf(label), { enterprise: this.#idOf(enterprise), channel });
  }
}
