import { sql } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { checkNumbers } from '../harness/databases/numbers.ts';
import { AnswerRules } from './answers.ts';
import { MUTATIONS, mutateBody } from './call-mutations.ts';
import { watchEffects } from './effects.ts';
import { Random } from './random.ts';
import { type Call, reproOf, send, type WireAnswer } from './wire.ts';
import { World } from './world.ts';

/**
 * Sends randomly mutated calls of every operation to a whole service. Each answer must be documented. A refused call
 * must change nothing. Afterwards the service must still work. What accepted orders do is compared in test/model.
 *
 * LOCKSTEP_FUZZ_CALLS sets the number of calls, LOCKSTEP_SEED the seed.
 */
const CALLS = Number(process.env.LOCKSTEP_FUZZ_CALLS || 500);
const SEED = Number(process.env.LOCKSTEP_SEED || 1918879199);
/** Calls for each service, so that its tables stay small. */
const ROUND_CALLS = 2_500;
/** Calls between two comparisons of the tables. */
const GROUP_CALLS = 20;
const AT_ONCE = 8;
const MAX_FAULTS = 5;

const kinds = Object.keys(MUTATIONS);
type Effects = Awaited<ReturnType<typeof watchEffects>>;

class Round {
  readonly #world: World;
  readonly #random: Random;
  readonly #rules: AnswerRules;
  readonly #effects: Effects;
  readonly #faults: string[];
  #isLoggedOut = false;

  private constructor(world: World, random: Random, effects: Effects, faults: string[]) {
    this.#world = world;
    this.#random = random;
    this.#rules = new AnswerRules(world);
    this.#effects = effects;
    this.#faults = faults;
  }

  static async start(random: Random, faults: string[]): Promise<Round> {
    const world = await World.open(random);
    return new Round(world, random, await watchEffects(world.stack.db), faults);
  }

  /** Sends calls and returns how many succeeded. */
  async run(calls: number): Promise<number> {
    let carriedOut = 0;
    for (let sent = 0; sent < calls && this.#faults.length < MAX_FAULTS; sent += GROUP_CALLS) {
      const group = Array.from({ length: Math.min(GROUP_CALLS, calls - sent) }, () => this.#changedCall());
      carriedOut += await this.#send(group);
    }
    return carriedOut;
  }

  /** Checks that the service still works and that its stored data is consistent. */
  async end(): Promise<void> {
    const { api, stack } = this.#world;
    this.#faults.push(...(await checkNumbers(stack.db)));
    await this.#world.logIn();
    for (const operation of this.#world.operations) await this.#checkAtEnd([this.#world.validCall(operation).call]);
    // No bytes are in flight any more, so as many bodies as may be at once must fit.
    const operation = this.#world.operations.find(({ operationId }) => operationId === 'previewBatchOrder');
    const calls = Array.from({ length: 16 }, () => this.#world.validCall(operation).call);
    for (const call of calls) call.framing = { kind: 'chunked' };
    await this.#checkAtEnd(calls);
    await api.newCustomer();
    await stack.close();
  }

  async #checkAtEnd(calls: readonly Call[]): Promise<void> {
    const answers = await Promise.all(calls.map((call) => send(this.#world.port, call)));
    for (const [index, [answer]] of answers.entries()) {
      const call = calls[index]!;
      const fault = answer === undefined ? 'no answer' : this.#rules.faultOf(answer, call);
      if (fault !== null) this.#report([call], `at the end, ${call.operationId} got ${fault}`);
    }
  }

  #changedCall(): Call {
    const random = this.#random;
    const { call, json } = this.#world.validCall();
    const sources = {
      random,
      tokens: this.#world.tokens,
      nonces: this.#world.nonces,
      words: this.#world.words,
      another: () =>
        this.#world.validCall(this.#world.operations.find(({ operationId }) => operationId === 'queryCustomers')).call,
    };
    // Leave some calls unchanged, so that others find data.
    if (random.isOneIn(12)) return call;
    if (json !== undefined && !random.isOneIn(3)) mutateBody(call, json, random);
    if (call.changes.length > 0 && !random.isOneIn(5)) return call;
    for (let left = random.oneOf([1, 1, 2]); left > 0; left--) {
      const kind = random.oneOf(kinds);
      if (call.leavesAfter !== null) break;
      if (kind === 'client: leaves') Object.assign(call, { next: null, framing: { kind: 'length' } });
      MUTATIONS[kind]!(call, sources);
      call.changes.push(kind);
    }
    return call;
  }

  async #send(group: readonly Call[]): Promise<number> {
    const accepted: string[] = [];
    const one = async (call: Call) => {
      await this.#check([call], async () => {
        const operation = this.#judge(call, await send(this.#world.port, call));
        if (operation !== undefined) accepted.push(operation);
      });
    };
    const left = group.values();
    const inTurn = async () => {
      for (const call of left) await one(call);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, inTurn));
    await this.#check(group, () => this.#settle());
    const lines = this.#world.stack.logLines.splice(0).filter((line) => JSON.parse(line).level >= 50);
    for (const line of lines) this.#report(group, `logged as a fault: ${line}`);
    for (const line of await this.#effects.unexplained(accepted)) this.#report(group, line);
    if (this.#isLoggedOut) {
      this.#isLoggedOut = false;
      await this.#world.logIn();
      await this.#effects.reset();
    }
    return accepted.length;
  }

  /** Checks the answers to a call. Returns the operation if it succeeded. */
  #judge(call: Call, answers: WireAnswer[]): string | undefined {
    if (call.leavesAfter !== null) return undefined;
    const [answer] = answers;
    if (answer === undefined) {
      // The service was still waiting for the rest of the body.
      if (call.framing.kind === 'lie' && call.body !== null) return undefined;
      this.#report([call], 'no answer');
      return undefined;
    }
    const operation = this.#rules.operationOf(call.method, call.path)?.operationId;
    // A changed path may lead to the front page, which is for people.
    if (operation === undefined && answer.status === 200 && answer.text.startsWith('<!doctype html>')) return undefined;
    const fault = this.#rules.faultOf(answer, call);
    if (fault !== null) this.#report([call], fault);
    // A list of refused calls names causes too.
    const isRefusedFor = (cause: string) => answer.status === 299 && answer.text.includes(`"${cause}"`);
    // An accepted call ended the administrator's session.
    if (call.changes.length === 0 && isRefusedFor('user_token_invalid')) this.#isLoggedOut = true;
    if (answer.status !== 200) return undefined;
    this.#world.hear(JSON.parse(answer.text));
    return operation;
  }

  /** Waits until all accepted batches are completed. */
  async #settle(): Promise<void> {
    const open = sql`select from batch where completed_time is null`;
    await vi.waitUntil(async () => (await open.execute(this.#world.stack.db)).rows.length === 0, { timeout: 60_000 });
  }

  /** Reports what a check of these calls throws. */
  async #check(calls: readonly Call[], check: () => Promise<void>): Promise<void> {
    await check().catch((error: Error) => this.#report(calls, error.message));
  }

  #report(calls: readonly Call[], fault: string): void {
    const repros = calls.map((call) => `  [${call.changes.join(', ')}]\n  ${reproOf(call, this.#world.port)}`);
    this.#faults.push(`${fault}\n${repros.join('\n')}`);
  }
}

describe('randomly mutated calls', () => {
  const faults: string[] = [];
  afterAll(() => {
    if (faults.length > 0) process.stderr.write(`LOCKSTEP_SEED=${SEED}\n${faults.join('\n\n')}\n`);
  });

  it(`get documented answers and change nothing if refused (${CALLS} calls, seed ${SEED})`, {
    timeout: 3_600_000,
  }, async () => {
    let carriedOut = 0;
    for (let sent = 0, round = 0; sent < CALLS && faults.length === 0; sent += ROUND_CALLS, round++) {
      const running = await Round.start(new Random(SEED, round), faults);
      carriedOut += await running.run(Math.min(ROUND_CALLS, CALLS - sent));
      await running.end();
    }
    process.stderr.write(`${CALLS} mutated calls with seed ${SEED}, ${carriedOut} succeeded\n`);
    expect(faults.map((fault) => fault.split('\n', 1)[0])).toEqual([]);
    expect(carriedOut).toBeGreaterThan(CALLS / 20);
  });
});
