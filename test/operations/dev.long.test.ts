import { copyFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../harness/network/redis.ts';
import {
  endEverything,
  findProcess,
  livingProcesses,
  newDataDir,
  REPOSITORY,
  startJob,
} from '../harness/processes/processes.ts';

afterAll(endEverything);

it('npm run dev starts the service again after a change, serves the console by Vite, and leaves nothing', async () => {
  const [dataDir, port] = [newDataDir(), await freePort()];
  const job = startJob(['npm', 'run', 'dev'], { DATA_DIR: dataDir, PORT: String(port) });
  await job.line(/is ready at/);
  const [, vite] = /Local: +(\S+)/.exec(await job.line(/Local:/))!;
  expect(await (await fetch(`${vite}batches`)).text()).toMatch(/@react-refresh.*<base href="\/console\/">/s);
  // The service answers behind the console, and finds the session's path its own.
  expect((await fetch(`${vite}api/session`)).status).toBe(401);

  // Once by a new date, and once as git and some editors write: a new file in the place of the old one.
  const file = join(REPOSITORY, 'apps/cli/src/start.ts');
  utimesSync(file, new Date(), new Date());
  await job.shown(/Restarting .*INFO: stopping.*is ready at/s);
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
  await job.shown(/Restarting .*is ready at.*Restarting .*is ready at/s);
  expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);

  const { status } = await job.endGroup('SIGINT');
  expect({ status, left: livingProcesses({ job, dataDir }) }).toEqual({ status: 0, left: [] });
});

it('npm run dev ends with status 1 when Vite ends', async () => {
  const dataDir = newDataDir();
  const job = startJob(['npm', 'run', 'dev'], { DATA_DIR: dataDir, PORT: '0' });
  await job.line(/Local:/);
  process.kill(findProcess(job, 'vite.js'), 'SIGKILL');
  const { status, stderr } = await job.ended;
  expect({ status, left: livingProcesses({ job, dataDir }) }).toEqual({ status: 1, left: [] });
  expect(stderr).toMatch(/^dev: Vite has ended \(SIGKILL\), so everything ends\.$/m);
});
