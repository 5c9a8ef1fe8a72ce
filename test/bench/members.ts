import { createApplication, PasswordHasher } from '@lockstep/access';
import type { Database } from '@lockstep/platform';
import { Api, dataOf } from '../harness/api.ts';
import { MemberCenter, newEmployee } from '../harness/members/member-center.ts';
import { say } from './bench-run.ts';
import { withService } from './bench-service.ts';
import { median } from './measures/measure.ts';

/**
 * `npm run bench:members`: measures how long an M1 of 100 employees takes, and its floor, the 100 argon2id hashes. Then
 * measures M5, M6, M7, M9 and M10 in calls a second, in an enterprise of 2,000 employees and assets. Compare ratios
 * within one run, not figures of different runs.
 */
const EMPLOYEES = 2_000;
const EMPLOYEES_PER_CALL = 100;
const CALLS = 400;
const CALLERS = 8;

async function measureSeconds(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

await withService({ hasWorker: false }, ({ db, baseUrl }) => measure(db, baseUrl));

async function measure(db: Database, baseUrl: string): Promise<void> {
  const newApi = async () => {
    const credentials = await createApplication(db, {
      name: 'Bench',
      scopes: ['auth_order', 'auth_me'],
      approved: true,
    });
    return Api.logIn(baseUrl, credentials);
  };
  const center = await MemberCenter.open({ db, newApi });
  const cloud = await center.buy(1, { licenseType: 'cloud_customer' });

  const passwords = new PasswordHasher();
  const owner = { party: 'bench' };
  await passwords.hashAll(['warm-up password'], owner);
  const additions: number[] = [];
  const floors: number[] = [];
  const memberIds: string[] = [];
  for (let added = 0; added < EMPLOYEES; added += EMPLOYEES_PER_CALL) {
    const users = Array.from({ length: EMPLOYEES_PER_CALL }, () => newEmployee());
    additions.push(
      await measureSeconds(async () => {
        memberIds.push(...(await center.add(...users)).map(({ globalId }) => globalId));
      }),
    );
    floors.push(
      await measureSeconds(() =>
        passwords.hashAll(
          users.map(({ password }) => String(password)),
          owner,
        ),
      ),
    );
  }
  const [addition, floor] = [median(additions), median(floors)];
  say(
    `M1 of ${EMPLOYEES_PER_CALL} employees: ${Math.round(addition * 1_000)} ms; its hashes alone: ` +
      `${Math.round(floor * 1_000)} ms, ${Math.round((100 * floor) / addition)} % (medians of ${additions.length})`,
  );

  const assets = await center.buy(EMPLOYEES);
  const locks = await center.buyLocks(CALLS);
  const perSecond = async (name: string, call: (index: number) => Promise<unknown>) => {
    let next = 0;
    const seconds = await measureSeconds(() =>
      Promise.all(
        Array.from({ length: CALLERS }, async () => {
          for (let index = next++; index < CALLS; index = next++) await call(index);
        }),
      ),
    );
    say(`${name}: ${Math.round(CALLS / seconds)} calls/s`);
  };
  say(`${CALLERS} callers, ${EMPLOYEES} employees, ${assets.length + cloud.length} assets, ${locks.length} locks`);
  await perSecond('M9, one asset', async (index) => center.assign(memberIds[index]!, assets[index]!.assetNum));
  await perSecond('M10, one asset', async (index) =>
    dataOf(await center.lend(memberIds[index]!, locks[index]!.assetNum, [assets[index]!.assetId])),
  );
  await perSecond('M5, a page of 50', async (index) =>
    dataOf(await center.submitList({ pageNum: String((index % 40) + 1), pageSize: '50' })),
  );
  await perSecond('M5, a keyword', async () =>
    dataOf(await center.submitList({ pageNum: '1', pageSize: '50', keyword: 'ab' })),
  );
  await perSecond('M6, all assets', () => center.assets());
  await perSecond('M7, a lock', (index) => center.contents(locks[index]!.assetId));
}
